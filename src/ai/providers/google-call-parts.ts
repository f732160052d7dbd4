// Puts calls of Google's together that come in parts, each with the path of an argument (streamFunctionCallArguments).
import type { AiStreamChunkResult } from "../provider.ts";
import { listOf, loose, parse, textOf } from "./read.ts";
import type { Loose } from "./read.ts";

interface OpenCall {
  readonly part: Loose;
  readonly args: Tree;
}

type Tree = Record<string | number, unknown>;

interface CallParts {
  /** The event with whole calls only, each where its last part is. */
  join(data: string): string;
  /** Adds the calls whose parts did not all come: they are no calls without arguments. */
  finish(chunk: AiStreamChunkResult | null): AiStreamChunkResult | null;
}

/** The number of a call that was cut off, behind any that are whole. */
const afterAll = 1_000_000;

export function createCallParts(): CallParts {
  let open: OpenCall | undefined;
  /** Calls whose parts did not all come. */
  const cut: OpenCall[] = [];

  function take(part: Loose): Loose[] {
    const called = part?.functionCall;
    if (!called) return [part];
    if (open && isAnother(called, open)) {
      cut.push(open);
      open = undefined;
    }
    if (!open && !called.willContinue && !called.partialArgs) return [part];
    open ??= { part, args: { ...called.args } };
    for (const piece of listOf(called.partialArgs)) setAt(open.args, textOf(piece?.jsonPath), piece);
    if (called.willContinue) return [];
    const { part: first, args } = open;
    open = undefined;
    const { name, id } = first?.functionCall ?? {};
    return [loose({ ...first, functionCall: { name, id, args } })];
  }

  return {
    join(data) {
      if (!open && !/"(willContinue|partialArgs)"/.test(data)) return data;
      const fields = loose(parse(data));
      const [candidate, ...others] = listOf(fields?.candidates);
      if (!candidate) return data;
      const parts = listOf(candidate.content?.parts).flatMap(take);
      const first = { ...candidate, content: { ...candidate.content, parts } };
      return JSON.stringify({ ...fields, candidates: [first, ...others] });
    },
    finish(chunk) {
      const lost = open ? [...cut, open] : cut;
      if (lost.length === 0 || !chunk?.finishReason) return chunk;
      const deltas = lost.map(({ part }, at) => {
        const { name, id } = part?.functionCall ?? {};
        return { index: afterAll + at, name: textOf(name), id: textOf(id), argumentsDelta: "" };
      });
      const finishReason = /^(stop|tool_use)$/.test(chunk.finishReason) ? "other" : chunk.finishReason;
      return { ...chunk, finishReason, toolCallDeltas: [...(chunk.toolCallDeltas ?? []), ...deltas] };
    },
  };
}

/** Whether it is no part of the open call: a whole call, or the beginning of one. */
function isAnother(called: NonNullable<Loose>, { part }: OpenCall): boolean {
  const { id, name } = part?.functionCall ?? {};
  if (called.id && id && textOf(called.id) !== textOf(id)) return true;
  if (!called.name) return false;
  if (textOf(called.name) !== textOf(name)) return true;
  return !called.partialArgs && Boolean(called.args ?? called.willContinue);
}

/** Sets a value by its path, such as `$.city`, `$.stops[0].name` or `$['a b']`; a text is added to what is there. */
function setAt(args: Tree, path: string, piece: Loose): void {
  const names = [...path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]/g)].map(
    ([, name, index, single, double]) => (index === undefined ? (name ?? single ?? double ?? "") : Number(index)),
  );
  const last = names.pop();
  if (last === undefined || ![...names, last].every(isSafe)) return;
  let tree = args;
  for (const [at, name] of names.entries()) {
    const next = Object.hasOwn(tree, name) ? tree[name] : undefined;
    if (typeof next !== "object" || next === null) tree[name] = typeof (names[at + 1] ?? last) === "number" ? [] : {};
    tree = tree[name] as Tree;
  }
  tree[last] = valueOf(piece, Object.hasOwn(tree, last) ? tree[last] : undefined);
}

/** Neither another object's prototype nor a list of holes. */
function isSafe(name: string | number): boolean {
  return typeof name === "number" ? name < 10_000 : name !== "__proto__";
}

function valueOf(piece: Loose, before: unknown): unknown {
  const text: unknown = piece?.stringValue;
  if (typeof text === "string") return textOf(before) + text;
  return piece?.numberValue ?? piece?.boolValue ?? null;
}
