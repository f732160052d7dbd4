// An answer of AiCore or `<ai-agent>` as the AI SDK's UI message stream, of which `useChat` makes its messages.
import type { AiHttpError, AiMessage, AiToolCallState } from "../types.ts";

/** A conversation with a model: an AiCore, or an `<ai-agent>`, whose core may be a hub's. */
export interface Talker extends EventTarget {
  readonly content: string;
  readonly reasoning: string;
  readonly messages: AiMessage[];
  readonly toolCalls: AiToolCallState[];
  readonly error: AiHttpError | Error | null;
  abort(): void;
}

/** A chunk of the stream, as the AI SDK 5, 6 and 7 read it. */
export type UIMessageChunk = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface UIMessageStreamOptions {
  /** Stops the answer. So does a reader that cancels the stream. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Streams the answer that `ask` asks for, such as `() => core.send(prompt, options)`. Where a tool call waits for the user, the
 * stream ends with the question. Another stream over the same promise goes on from there.
 */
export function toUIMessageStream(
  agent: Talker,
  ask: () => Promise<string | null>,
  { signal }: UIMessageStreamOptions = {},
): ReadableStream<UIMessageChunk> {
  let stop = (): void => {};
  let isOver = false;
  return new ReadableStream<UIMessageChunk>({
    start(controller) {
      const known = new Set(agent.messages.map(({ id }) => id));
      const answer = createAnswer(agent, (chunk) => controller.enqueue(chunk));
      const end = (last: readonly UIMessageChunk[]) => {
        if (isOver) return;
        isOver = true;
        stop();
        answer.endBlock();
        for (const chunk of picturesOf(agent.messages.filter(({ id }) => !known.has(id)))) controller.enqueue(chunk);
        for (const chunk of [...last, { type: "finish-step" }, { type: "finish" }]) controller.enqueue(chunk);
        controller.close();
      };
      const look = () => {
        answer.show(agent);
        const open = agent.toolCalls.filter(({ status }) => status === "waiting" || status === "running");
        if (open.length > 0 && open.every(({ status }) => status === "waiting")) end([]);
      };
      const abort = () => agent.abort();
      stop = () => {
        for (const event of events) agent.removeEventListener(event, look);
        signal?.removeEventListener("abort", abort);
      };
      for (const event of events) agent.addEventListener(event, look);
      signal?.addEventListener("abort", abort);
      controller.enqueue({ type: "start" });
      controller.enqueue({ type: "start-step" });
      const asked = (async () => ask())();
      asked.then(
        (text) => {
          if (isOver) return;
          if (text !== null) answer.takeAsNew();
          look();
          end(text === null ? [failureOf(agent)] : sourcesOf(agent.messages.at(-1)));
        },
        (error: unknown) => end([{ type: "error", errorText: String((error as Error)?.message ?? error) }]),
      );
      if (signal?.aborted) abort();
    },
    cancel() {
      isOver = true;
      stop();
      agent.abort();
    },
  });
}

const events = ["content", "reasoning", "tool-calls"].map((name) => `ai-agent:${name}-changed`);

/**
 * Writes what is new since it began. Text and thoughts begin again with each request to the model; until then the agent shows
 * those of the answer before, which may be the same, or the beginning of the next.
 */
function createAnswer({ content: text, reasoning, toolCalls }: Talker, write: (chunk: UIMessageChunk) => void) {
  let blocks = 0;
  let block: { readonly kind: "text" | "reasoning"; readonly id: string } | undefined;
  const shown = { text, reasoning };
  /** Whether what is shown may be the answer before. */
  const isOld = { text: true, reasoning: true };
  const calls = new Map(toolCalls.map((call) => [call.id, shownOf(call)]));

  function endBlock(): void {
    if (block) write({ type: `${block.kind}-end`, id: block.id });
    block = undefined;
  }

  /** Whether another answer has begun with it. */
  function showText(kind: "text" | "reasoning", whole: string): boolean {
    if (isOld[kind] && whole === shown[kind]) return false;
    const isMore = !isOld[kind] && whole.startsWith(shown[kind]);
    const delta = isMore ? whole.slice(shown[kind].length) : whole;
    shown[kind] = whole;
    isOld[kind] = false;
    if (delta === "") return !isMore;
    if (block?.kind !== kind || !isMore) {
      endBlock();
      block = { kind, id: `${kind}-${++blocks}` };
      write({ type: `${kind}-start`, id: block.id });
    }
    write({ type: `${kind}-delta`, id: block.id, delta });
    return !isMore;
  }

  /** Whether it has changed, and is whole. */
  function showCall(call: AiToolCallState): boolean {
    const former = calls.get(call.id);
    if (former?.status === call.status && former.length === call.arguments.length) return false;
    calls.set(call.id, shownOf(call));
    if (!former) endBlock();
    for (const chunk of chunksOf(call, former)) write(chunk);
    return call.status !== "streaming";
  }

  /** The text and thoughts there are known to be this answer's, even where they are the same as before. */
  function takeAsNew(): void {
    for (const kind of ["text", "reasoning"] as const) {
      if (isOld[kind]) shown[kind] = "";
      isOld[kind] = false;
    }
  }

  return {
    endBlock,
    takeAsNew,
    show(agent: Talker): void {
      if (agent.toolCalls.some(({ id }) => !calls.has(id))) takeAsNew();
      const hasBegun = [showText("reasoning", agent.reasoning), showText("text", agent.content)].includes(true);
      // The model is asked again once its calls are done.
      if (agent.toolCalls.map(showCall).includes(true) && !hasBegun) isOld.text = isOld.reasoning = true;
    },
  };
}

interface ShownCall {
  readonly status: AiToolCallState["status"];
  readonly length: number;
}

function shownOf({ status, arguments: { length } }: AiToolCallState): ShownCall {
  return { status, length };
}

function* chunksOf(call: AiToolCallState, former: ShownCall | undefined): Generator<UIMessageChunk> {
  const { id: toolCallId, name: toolName, status, result = "", arguments: json } = call;
  const tool = { toolCallId, toolName, dynamic: true };
  if (!former) yield { type: "tool-input-start", ...tool };
  const inputTextDelta = json.slice(former?.length ?? 0);
  if (status === "streaming" && inputTextDelta !== "") yield { type: "tool-input-delta", toolCallId, inputTextDelta };
  if (status === "streaming" || status === former?.status) return;
  if (!former || former.status === "streaming") yield { type: "tool-input-available", ...tool, input: parse(json) };
  if (status === "waiting") yield { type: "tool-approval-request", approvalId: toolCallId, toolCallId };
  if (status === "done") yield { type: "tool-output-available", toolCallId, output: result, dynamic: true };
  if (status === "failed") yield { type: "tool-output-error", toolCallId, errorText: reasonOf(result), dynamic: true };
  if (status === "refused") yield { type: "tool-output-denied", toolCallId };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json || "{}");
  } catch {
    return json;
  }
}

/** The model gets a failure as JSON; people read its words. */
function reasonOf(result: string): string {
  const value = parse(result);
  const { error } = typeof value === "object" && value !== null ? (value as { readonly error?: unknown }) : {};
  return typeof error === "string" ? error : result;
}

/** An answer that is null without an error was stopped. */
function failureOf({ error }: Talker): UIMessageChunk {
  if (error === null) return { type: "abort" };
  const { status, statusText, body, message } = error as Partial<AiHttpError & Error>;
  return { type: "error", errorText: message ?? `HTTP ${status} ${statusText}: ${body}` };
}

function picturesOf(messages: readonly AiMessage[]): UIMessageChunk[] {
  return messages.flatMap(({ role, content }) =>
    role !== "assistant" || typeof content === "string"
      ? []
      : content.flatMap((part) => {
          if (part.type !== "image") return [];
          const mediaType = part.mediaType ?? /^data:([^;,]+)/.exec(part.url)?.[1] ?? "image/*";
          return [{ type: "file", url: part.url, mediaType }];
        }),
  );
}

function sourcesOf(message: AiMessage | undefined): UIMessageChunk[] {
  return (message?.citations ?? []).flatMap(({ url, title }, index) =>
    url === undefined ? [] : [{ type: "source-url", sourceId: `source-${index + 1}`, url, ...(title && { title }) }],
  );
}
