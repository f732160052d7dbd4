// One run of an action: its pieces go out as logs of the call, its refusals become results that carry their code.
import { deepestPart, toJson, unlessAborted } from "../../../toolbox/index.ts";
import type { CallContext } from "../../../toolbox/index.ts";
import { PagewireError, chunkLogger, chunksKey, codeKey, isJsonObject, pageLimits } from "../../../wire/index.ts";
import type { CallToolResult, ContentBlock, Json } from "../../../wire/index.ts";
import type { ActionContext, ActionHandler } from "./action.ts";

/** Max characters of a piece that are sent at once: even if JSON escapes all of them, a frame is within its limit. */
const longestPiece = 256 * 1024;

export interface ActionRun {
  readonly name: string;
  readonly handler: ActionHandler;
  readonly hub: string | undefined;
}

/** Runs an action as the handler of a tool. */
export async function runAction(run: ActionRun, input: unknown, context: CallContext): Promise<unknown> {
  const { name, handler, hub } = run;
  const { signal, callId, agent, progress } = context;
  let sent = 0;

  function chunk(delta: unknown): void {
    if (typeof delta !== "string") {
      throw new TypeError(`The action "${name}" gave a piece that is not a text. Give texts, and return the value.`);
    }
    for (const piece of piecesOf(delta)) {
      context.log("info", piece, chunkLogger);
      sent++;
    }
  }

  const given: ActionContext = { signal, callId, agent, hub, progress, chunk };
  try {
    const answer = await handler(input as Record<string, unknown>, given);
    const value = isAsyncIterable(answer) ? await drain(answer, chunk, signal) : answer;
    return sent === 0 ? value : counted(name, value, sent);
  } catch (error) {
    if (!PagewireError.isInstance(error) || !error.code.startsWith("action-")) throw error;
    if ("isUndone" in error && sent === 0) throw error;
    const text = error.message;
    return { content: [{ type: "text", text }], isError: true, _meta: { [codeKey]: error.code } };
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in Object(value);
}

/** Never cuts a character in two. */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  while (from < text.length) {
    let to = from + longestPiece;
    if (/[\uD800-\uDBFF]/.test(text.charAt(to - 1))) to--;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

/**
 * The result of an action that sent pieces: it includes their count, so that the receiver can check that none is
 * missing.
 */
function counted(name: string, value: unknown, sent: number): CallToolResult {
  const _meta = { [chunksKey]: sent };
  if (value === undefined) return { content: [], _meta };
  const what = `The answer of the action "${name}"`;
  const json = toJson(value, { what, code: "result-unsendable", deepest: deepestPart(pageLimits) });
  const plain = JSON.parse(json) as Json;
  if (isJsonObject(plain) && Array.isArray(plain["content"])) {
    const own = isJsonObject(plain["_meta"]) ? plain["_meta"] : {};
    return { ...plain, content: plain["content"] as readonly ContentBlock[], _meta: { ...own, ..._meta } };
  }
  const text = typeof plain === "string" ? plain : json;
  const structured = isJsonObject(plain) ? { structuredContent: plain } : {};
  return { content: [{ type: "text", text }], ...structured, _meta };
}

/** Forwards what an iterator yields, and returns its return value. Closes the iterator when the call ends early. */
async function drain(
  iterable: AsyncIterable<unknown>,
  take: (value: unknown) => void,
  signal: AbortSignal,
): Promise<unknown> {
  const iterator = iterable[Symbol.asyncIterator]();

  async function pump(): Promise<unknown> {
    while (!signal.aborted) {
      const { done, value } = (await iterator.next()) as IteratorResult<unknown, unknown>;
      if (done) return value;
      if (!signal.aborted) take(value);
    }
    return undefined;
  }

  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    // A waiting generator is notified only when its own wait is over; do not wait for that here.
    void (async () => iterator.return?.())().catch((error: unknown) => reportError(error));
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    return await unlessAborted(pump(), signal);
  } catch (error) {
    end();
    throw error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}
