// The result of a call, as a person reads it: text, pictures, tables, links, and the whole as a tree.
import { isJsonObject, showInvisible } from "pagewire/wire";
import type { Json, JsonObject } from "pagewire/wire";
import { useState } from "preact/hooks";
import { Button, Code, JsonTree, Segments, Table } from "../../../common/src/ui/index.ts";
import { href } from "../frame/route.ts";
import { cellText, rowsOf } from "./rows-of.ts";
import type { Rows } from "./rows-of.ts";
import { parseJson } from "./controls.tsx";

const views = [
  { value: "read", label: "Result" },
  { value: "tree", label: "Tree" },
  { value: "json", label: "JSON" },
] as const;

export function Result({ result, tabId }: { readonly result: JsonObject; readonly tabId: string }) {
  const [view, setView] = useState<(typeof views)[number]["value"]>("read");
  return (
    <div class="stack result">
      <Segments label="Show the result as" options={views} value={view} onValue={setView} />
      {view === "read" && <Readable result={result} tabId={tabId} />}
      {view === "tree" && <JsonTree label="Result" value={result} depth={4} />}
      {view === "json" && <Code label="Result" language="json" text={JSON.stringify(result, null, 2)} />}
    </div>
  );
}

/** Content of tools; of resources under `contents`, of prompts under `messages`. */
function blocksOf({ content, contents, messages }: JsonObject): readonly JsonObject[] {
  if (Array.isArray(content)) return content.filter(isJsonObject);
  if (Array.isArray(contents)) return contents.filter(isJsonObject).map((resource) => ({ type: "resource", resource }));
  if (!Array.isArray(messages)) return [];
  return messages.filter(isJsonObject).flatMap(({ role, content: said }) => {
    const blocks = (Array.isArray(said) ? said : [said]).filter(isJsonObject);
    return blocks.map((block) => ({ ...block, role: role ?? "" }));
  });
}

function Readable({ result, tabId }: { readonly result: JsonObject; readonly tabId: string }) {
  const { structuredContent } = result;
  const blocks = blocksOf(result);
  const rows = rowsOf(structuredContent);
  // The text of a structured result repeats it.
  const isRepeated = (block: JsonObject) =>
    structuredContent !== undefined &&
    block["type"] === "text" &&
    typeof block["text"] === "string" &&
    JSON.stringify(parseJson(block["text"])?.value) === JSON.stringify(structuredContent);
  return (
    <>
      {rows && <Rows found={rows} />}
      {structuredContent !== undefined && (
        <JsonTree label="Structured result" value={structuredContent} depth={rows ? 1 : 3} />
      )}
      {blocks
        .filter((block) => !isRepeated(block))
        .map((block, index) => (
          <Block key={index} block={block} tabId={tabId} />
        ))}
      {blocks.length === 0 && structuredContent === undefined && <p class="hint">It returned nothing.</p>}
    </>
  );
}

const pictures = /^image\/(png|jpeg|gif|webp)$/;

function Block({ block, tabId }: { readonly block: JsonObject; readonly tabId: string }) {
  const { type, text, data, mimeType, role } = block;
  const kind = typeof mimeType === "string" ? mimeType : "";
  const by = typeof role === "string" && <p class="hint">{showInvisible(role)}</p>;
  if (type === "text" && typeof text === "string")
    return (
      <div>
        {by}
        <Text text={text} />
      </div>
    );
  if (type === "image" && typeof data === "string" && pictures.test(kind))
    return <img class="picture" src={`data:${kind};base64,${data}`} alt="What the tool returned" />;
  if (type === "resource_link" && typeof block["uri"] === "string")
    return <ResourceLink uri={block["uri"]} name={block["title"] ?? block["name"]} tabId={tabId} />;
  const { resource } = block;
  if (type === "resource" && isJsonObject(resource)) return <Embedded resource={resource} />;
  return <JsonTree label={showInvisible(typeof type === "string" ? type : "Part")} value={block} depth={1} />;
}

const shownLength = 20_000;

function Text({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const json = /^\s*[[{]/.test(text) ? parseJson(text)?.value : undefined;
  const rows = rowsOf(json);
  if (rows) return <Rows found={rows} />;
  if (json !== undefined) return <JsonTree label="Result" value={json} depth={3} />;
  const shown = isWhole ? text : text.slice(0, shownLength);
  return (
    <>
      <p class="result-text">{showInvisible(shown)}</p>
      {shown.length < text.length && (
        <Button small kind="quiet" onClick={() => setWhole(true)}>
          Show {text.length - shown.length} more characters
        </Button>
      )}
    </>
  );
}

interface ResourceLinkProps {
  readonly uri: string;
  readonly name: Json | undefined;
  readonly tabId: string;
}

function ResourceLink({ uri, name, tabId }: ResourceLinkProps) {
  return (
    <p>
      <a href={href(["try", tabId, uri], { kind: "resource" })}>
        {showInvisible(typeof name === "string" ? name : uri)}
      </a>{" "}
      <code>{showInvisible(uri)}</code>
    </p>
  );
}

function Embedded({ resource }: { readonly resource: JsonObject }) {
  const { uri, mimeType, text, blob } = resource;
  const kind = typeof mimeType === "string" ? mimeType : "";
  const label = [typeof uri === "string" ? uri : "", kind].filter((each) => each !== "").join(", ");
  if (typeof blob === "string" && pictures.test(kind))
    return <img class="picture" src={`data:${kind};base64,${blob}`} alt={showInvisible(label)} />;
  if (typeof text !== "string") return <JsonTree label={showInvisible(label)} value={resource} depth={1} />;
  const isJson = /json/.test(kind) && parseJson(text) !== undefined;
  const shown = text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
  return <Code label={showInvisible(label)} text={shown} wraps {...(isJson && { language: "json" })} />;
}

const rowHeight = 34;

interface Keyed {
  readonly row: JsonObject;
  readonly key: string;
}

function Rows({ found }: { readonly found: Rows }) {
  const { name, columns, rows } = found;
  const keyed = rows.map((row, index): Keyed => ({ row, key: String(index) }));
  const label = name === "" ? "Result" : showInvisible(name);
  return (
    <div
      class="box panel rows"
      style={{ height: `${44 + rowHeight * Math.min(rows.length, 10)}px`, "--least": `${columns.length * 110}px` }}
    >
      <Table
        label={`${label}, ${rows.length} rows`}
        rows={keyed}
        rowHeight={rowHeight}
        keyOf={({ key }) => key}
        columns={columns.map((column) => ({
          title: showInvisible(column),
          width: "minmax(60px, 1fr)",
          isNumber: rows.every((row) => typeof row[column] === "number"),
          cell: ({ row }: Keyed) => showInvisible(cellText(row[column])),
        }))}
      />
    </div>
  );
}
