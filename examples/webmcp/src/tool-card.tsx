import type { RegisteredTool } from "pagewire/webmcp";
import { useState } from "react";
import type { FormEvent } from "react";
import { invoke } from "./browser-tools.ts";
import type { Answer, Block } from "./browser-tools.ts";
import { Field, fieldsOf, readInput } from "./fields.tsx";

interface ToolCardProps {
  readonly tool: RegisteredTool;
  readonly source: "page" | "remote";
  onAnswer(words: string): void;
}

export function ToolCard({ tool, source, onAnswer }: ToolCardProps) {
  const [isRunning, setIsRunning] = useState(false);
  const [answer, setAnswer] = useState<Answer>();
  const { name, description, annotations } = tool;
  const fields = fieldsOf(tool);

  async function run(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    setIsRunning(true);
    const started = performance.now();
    const given = await invoke(tool, () => readInput(form, fields));
    setAnswer(given);
    setIsRunning(false);
    onAnswer(`${given.isError ? "failed" : "answered"} after ${Math.round(performance.now() - started)} ms`);
  }

  return (
    <article aria-label={name}>
      <h2>{name}</h2>
      <p className="badges">
        <span className={source}>{source}</span>
        {annotations?.readOnlyHint && <span>reads only</span>}
        {annotations?.consequentialHint && <span className="bad">has consequences</span>}
      </p>
      <p>{description}</p>
      <form onSubmit={(event) => void run(event)}>
        {fields.map((field) => (
          <Field key={field.name} field={field} />
        ))}
        <button disabled={isRunning}>{isRunning ? "Running" : "Invoke"}</button>
      </form>
      {answer && (
        <output className={answer.isError ? "bad" : ""}>
          {answer.content.map((block, index) => (
            <BlockView key={index} block={block} />
          ))}
        </output>
      )}
    </article>
  );
}

function BlockView({ block }: { readonly block: Block }) {
  const { type, text, mimeType, data } = block;
  if (type === "image") return <img src={`data:${mimeType};base64,${data}`} alt="What the tool drew" />;
  return <pre>{text ?? JSON.stringify(block, undefined, 2)}</pre>;
}
