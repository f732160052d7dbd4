// The arguments and the result of a call, as far as the audit has them.
import { parseJsonObject } from "pagewire/wire";
import type { JsonObject } from "pagewire/wire";
import { Code, CopyButton, JsonTree } from "../../../common/src/ui/index.ts";
import { numberIn } from "./steps.ts";
import type { CallRecord } from "./steps.ts";
import { textIn } from "./words.ts";

const deepest = 64;

export function CallContents({ record, more }: { readonly record: CallRecord; readonly more: JsonObject }) {
  const contents = [
    { id: "call-arguments", title: "Arguments", text: more["arguments"], bytes: numberIn(record["argumentsBytes"]) },
    { id: "call-result", title: "Result", text: more["result"], bytes: numberIn(record["resultBytes"]) },
  ];
  if (contents.every(({ text }) => typeof text !== "string")) {
    const sizes = contents.flatMap(({ title, bytes }) =>
      bytes === undefined ? [] : [`${title}: ${bytesText(bytes)}.`],
    );
    return (
      <section aria-labelledby="call-contents">
        <h3 id="call-contents">Arguments and result</h3>
        <NotKept tool={textIn(record["name"])} sizes={sizes.join(" ")} />
      </section>
    );
  }
  return (
    <>
      {contents.map(({ id, title, text, bytes }) => (
        <section key={id} aria-labelledby={id}>
          <h3 id={id}>
            {title} {bytes !== undefined && <small>{bytesText(bytes)}</small>}
          </h3>
          {typeof text === "string" ? <Kept title={title} text={text} /> : <p class="hint">There is none.</p>}
        </section>
      ))}
    </>
  );
}

function bytesText(bytes: number): string {
  return bytes === 1 ? "1 byte" : `${bytes.toLocaleString()} bytes`;
}

function Kept({ title, text }: { readonly title: string; readonly text: string }) {
  const value = parseJsonObject(text, deepest);
  if (!value) return <Code label={title} text={text} wraps />;
  return (
    <>
      <JsonTree label={title} value={value} depth={3} />
      <CopyButton what={title} text={() => JSON.stringify(value, null, 2)} />
    </>
  );
}

function NotKept({ tool, sizes }: { readonly tool: string; readonly sizes: string }) {
  // A name that a shell could take for something else is left to the reader.
  const name = /^[\w.-]+$/.test(tool) ? tool : "<tool>";
  return (
    <div class="stack">
      <p class="hint">
        {sizes} The audit has digests of them, not what they were. To keep the beginning of those to come, start the hub
        so:
      </p>
      <Code label="Command" text={`npx pagewire --audit-contents ${name}`} bare />
    </div>
  );
}
