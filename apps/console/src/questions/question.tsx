// A question of a tool to its caller, while it runs.
import { isJsonObject, showInvisible } from "pagewire/wire";
import type { JsonObject } from "pagewire/wire";
import { useState } from "preact/hooks";
import { Button } from "../../../common/src/ui/index.ts";
import type { Question } from "../hub/hub.ts";
import { firstValue } from "../try/schema.ts";
import { SchemaForm } from "../try/schema-form.tsx";
import { useVerdict, validate } from "../try/validate.ts";

const noFields: JsonObject = { type: "object", properties: {}, additionalProperties: false };

/** The fields of a question, the answer in them, and the words of its two buttons. */
export function useQuestion(requested: unknown) {
  const [schema] = useState(() => (isJsonObject(requested) ? requested : noFields));
  const [value, setValue] = useState<JsonObject>(() => {
    const first = firstValue(schema, schema);
    return isJsonObject(first) ? first : {};
  });
  const { problems, missing } = useVerdict(schema, value);
  const [isAttempted, setAttempted] = useState(false);
  const shown = new Map([...problems].filter(([pointer]) => isAttempted || !missing.has(pointer)));
  const hasFields = Object.keys(Object(schema["properties"]) as object).length > 0;
  return {
    words: hasFields ? { accept: "Send", decline: "Decline" } : { accept: "Yes", decline: "No" },
    fields: hasFields && <SchemaForm schema={schema} value={value} onValue={setValue} problems={shown} />,
    /** Undefined where something is wrong with it. */
    async answer(): Promise<JsonObject | undefined> {
      setAttempted(true);
      // The verdict on the screen may be that of a moment ago.
      const { problems: left } = await validate(schema, value);
      return left.size === 0 ? value : undefined;
    },
  };
}

export function QuestionCard({ question }: { readonly question: Question }) {
  const { message, requestedSchema, url } = question.parameters;
  const tool = showInvisible(question.tool);
  const { words, fields, answer } = useQuestion(requestedSchema);
  async function send(event: Event): Promise<void> {
    event.preventDefault();
    const content = await answer();
    if (content) question.answer({ action: "accept", content });
  }
  return (
    <form class="notice info question" onSubmit={(event) => void send(event)} aria-label={`Question of ${tool}`}>
      <p>
        <strong>{tool} asks:</strong> {showInvisible(typeof message === "string" ? message : "")}
      </p>
      {typeof url === "string" && <PlaceToGo url={url} />}
      {fields}
      <p class="row">
        <Button type="submit" kind="strong" small>
          {words.accept}
        </Button>
        <Button small onClick={() => question.answer({ action: "decline" })}>
          {words.decline}
        </Button>
      </p>
    </form>
  );
}

/** An address that the tool wants its user to open. It is written out, and nothing else is a link. */
function PlaceToGo({ url }: { readonly url: string }) {
  if (!/^https?:\/\//.test(url)) return <code>{showInvisible(url)}</code>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {showInvisible(url)}
    </a>
  );
}
