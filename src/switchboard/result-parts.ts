// Splits results that are longer than their tool wants: an agent gets the first part, and each next one by calling the tool
// again with the cursor at the end of the part. The tool does not run again for that.
import type { Clock } from "../link/index.ts";
import { isJsonObject, parseJson, parseJsonObject, textOf } from "../wire/index.ts";
import type {
  CallToolResult,
  ContentBlock,
  JsonObject,
  OnOver,
  Outcome,
  Limits,
  TextContent,
  Tool,
} from "../wire/index.ts";
import { rejection } from "./call-life.ts";
import type { Aim, Route } from "./types.ts";
import { pageOfTabs, pagedTools, toolsOnce } from "./tab-page.ts";

/** In a tool's `_meta`: the most bytes of text in one part of its results. */
const maxResultBytes = "pagewire/maxResultBytes";
/** In a result's `_meta`: the cursor of the next part. */
const cursorKey = "pagewire/resultCursor";
const cursorName = "resultCursor";
const cursorSchema = { type: "string", description: "For the next part of a long result: where it begins." } as const;
/** Room for a few lines. */
const minBytes = 256;

export interface ResultParts {
  /** The outcome of a call of this tool, or its first part. */
  first(outcome: Outcome, tool: Tool | undefined, tabId: string): Outcome;
  /** The route of a call. A call with a cursor goes to no tab: its outcome is the part. */
  answer(route: Route): Route;
  close(): void;
}

interface Long {
  readonly id: string;
  readonly tabId: string;
  readonly text: string;
  /** Characters of the result that exceeded the limit and were dropped. */
  readonly lost: number;
  readonly max: number;
  readonly stopTimer: () => void;
}

interface Part {
  readonly content: readonly TextContent[];
  /** The cursor of the next part, if there is one. */
  readonly cursor?: string;
}

interface ResultPartsOptions {
  readonly clock: Clock;
  readonly newId: () => string;
  readonly limits: Pick<Limits, "jsonDepth" | "partsTime" | "partsBytes" | "partsBytesInAll">;
  readonly onOver?: OnOver | undefined;
}

function createResultParts({ clock, newId, limits, onOver }: ResultPartsOptions): ResultParts {
  /** By id, oldest first. */
  const kept = new Map<string, Long>();

  function keep(whole: string, tabId: string, max: number): Long {
    const id = newId();
    const text = whole.slice(0, limits.partsBytes);
    const stopTimer = clock.after(limits.partsTime, () => kept.delete(id));
    const long = { id, tabId, text, lost: whole.length - text.length, max, stopTimer };
    kept.set(id, long);
    makeRoom((each) => each.tabId === tabId, limits.partsBytes);
    if (makeRoom(() => true, limits.partsBytesInAll)) onOver?.("partsBytesInAll");
    return long;
  }

  /** Evicts the oldest results over the limit; returns whether it evicted any. */
  function makeRoom(counts: (long: Long) => boolean, max: number): boolean {
    const those = [...kept.values()].filter(counts);
    let size = those.reduce((sum, { text }) => sum + text.length, 0);
    const isOver = size > max;
    for (const { id, text, stopTimer } of those) {
      if (size <= max) break;
      stopTimer();
      kept.delete(id);
      size -= text.length;
    }
    return isOver;
  }

  function partOf({ id, text, lost, max }: Long, from: number): Part {
    const end = endOfPart(text, from, max);
    const shown = { type: "text", text: text.slice(from, end) } as const;
    const whole = text.length + lost;
    const place = `Characters ${from + 1} to ${end} of ${whole}.`;
    if (end < text.length) {
      const cursor = `${id}.${end}`;
      const next = `For what follows, call this tool again with ${cursorName} "${cursor}": it does not run again.`;
      return { content: [shown, { type: "text", text: `[${place} ${next}]` }], cursor };
    }
    const rest = lost > 0 ? " What follows was too long to be kept: ask the tool for less." : " This is the end.";
    return { content: [shown, { type: "text", text: `[${place}${rest}]` }] };
  }

  function first(outcome: Outcome, tool: Tool | undefined, tabId: string): Outcome {
    const { payload } = outcome;
    const max = tool && bytesAtATime(tool);
    if (max === undefined || payload === undefined || payload.length <= max) return outcome;
    const { content, structuredContent, ...result } = parseJsonObject(textOf(payload), limits.jsonDepth) ?? {};
    if (!Array.isArray(content)) return outcome;
    const text = textIn(content as readonly ContentBlock[]);
    if (endOfPart(text, 0, max) === text.length) {
      // Some clients show the model both.
      const isSmall = JSON.stringify(structuredContent ?? null).length <= max;
      return isSmall ? outcome : { ...outcome, payload: JSON.stringify({ content, ...result }) };
    }
    const part = partOf(keep(text, tabId, max), 0);
    const others = (content as readonly ContentBlock[]).filter(({ type }) => type !== "text");
    return { ...outcome, payload: payloadOf([...part.content, ...others], part.cursor, result) };
  }

  function nextPart(cursor: string): Outcome {
    const [, id = "", at] = /^(.+)\.(\d{1,9})$/.exec(cursor) ?? [];
    const long = kept.get(id);
    const from = Number(at);
    if (long && from < long.text.length) {
      const part = partOf(long, from);
      return { outcome: "ok", ran: "yes", payload: payloadOf(part.content, part.cursor) };
    }
    const why = `This ${cursorName} is unknown, or its result is no longer kept (limits partsTime and partsBytes).`;
    return rejection("input-invalid", `${why} Call the tool again without it.`);
  }

  return {
    first,
    answer(route) {
      const cursor = "tool" in route ? cursorIn(route) : undefined;
      return cursor === undefined ? route : { outcome: nextPart(cursor) };
    },
    close() {
      for (const { stopTimer } of kept.values()) stopTimer();
      kept.clear();
    },
  };
}

/** A tool as agents see it: with parts, it takes a cursor and declares no output schema. */
function withCursor(tool: Tool): Tool {
  const { _meta, inputSchema, outputSchema: _, ...rest } = tool;
  if (typeof _meta?.[maxResultBytes] !== "number") return tool;
  const { properties = {} } = inputSchema;
  if (!isJsonObject(properties)) return tool;
  // A tool's own argument of this name wins.
  if (cursorName in properties) return tool;
  const withIt = { ...inputSchema, properties: { ...properties, [cursorName]: cursorSchema } };
  return { ...rest, _meta, inputSchema: withIt };
}

function bytesAtATime({ _meta, inputSchema }: Tool): number | undefined {
  const max = _meta?.[maxResultBytes];
  const { properties } = inputSchema;
  const own = isJsonObject(properties) ? properties[cursorName] : undefined;
  const isOurs = isJsonObject(own) && own["description"] === cursorSchema.description;
  return typeof max === "number" && isOurs ? Math.max(max, minBytes) : undefined;
}

function cursorIn({ tool, arguments: given }: Aim): string | undefined {
  if (!tool || bytesAtATime(tool) === undefined) return undefined;
  const parsed = parseJson(textOf(given), 64);
  const cursor = isJsonObject(parsed) ? parsed[cursorName] : undefined;
  return cursor === undefined || typeof cursor === "string" ? cursor : JSON.stringify(cursor);
}

function textIn(content: readonly ContentBlock[]): string {
  return content.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])).join("\n");
}

const encoder = new TextEncoder();

/** The end of a part of at most this many bytes: a whole character, and the end of a line or value if one is near. */
function endOfPart(text: string, from: number, bytes: number): number {
  const { read } = encoder.encodeInto(text.slice(from, from + bytes), new Uint8Array(bytes));
  const end = from + read;
  if (end >= text.length) return text.length;
  for (const mark of ["\n", "},", ","]) {
    const at = text.lastIndexOf(mark, end - mark.length);
    if (at > from + read / 2) return at + mark.length;
  }
  return end;
}

function payloadOf(content: CallToolResult["content"], cursor: string | undefined, result: JsonObject = {}): string {
  const { _meta } = result;
  const meta = cursor === undefined ? {} : { _meta: { ...(isJsonObject(_meta) && _meta), [cursorKey]: cursor } };
  return JSON.stringify({ content, ...result, ...meta });
}

/** For a switchboard with many tabs and long results. A separate module: a worker that serves only tools need not load it. */
export function createInParts(limits: ResultPartsOptions["limits"]) {
  const create = (options: Omit<ResultPartsOptions, "limits">) => createResultParts({ ...options, limits });
  return { create, listed: withCursor, tabs: pageOfTabs, offers: toolsOnce, tools: pagedTools };
}

export type InParts = ReturnType<typeof createInParts>;
