// Carries the calls of the hub's model to the parent page, and the answers back. A call that the hub sends again,
// because its socket was cut, runs on or is answered as before.
import type { CallProgress, ParentLink } from "pagewire/agent-window";
import {
  PagewireError,
  identifierPattern,
  isJsonObject,
  messageOf,
  pageLimits,
  parseJsonObject,
  parseTrace,
} from "pagewire/wire";
import type { ErrorCode, JsonObject, TraceContext } from "pagewire/wire";

export interface CallRelayOptions {
  readonly link: Pick<ParentLink, "callTool" | "state">;
  /** Sends to the hub, where its socket is open. */
  send(text: string): void;
}

export interface CallRelay {
  /** Whether the page is running a call. */
  readonly isBusy: boolean;
  /** Handles a hub's message on a conversation's socket; ignores unknown ones. */
  take(text: string): void;
  /** Sends a call's progress to the hub; returns the model's id of the call, if it is one of these. */
  progress(progress: CallProgress): string | undefined;
  /** The hub uses another window from now on: aborts everything that runs here. */
  stop(): void;
}

/** A tool of the parent page that the hub's model calls. */
interface HubCall {
  readonly type: "tool_call";
  /** The hub's id of it: the same when it is sent once more. */
  readonly id: string;
  readonly name: string;
  /** The tool's origin; undefined if the hub does not send it. */
  readonly origin: string | undefined;
  readonly arguments: JsonObject;
  /** The model's id of it, by which the conversation shows it. */
  readonly toolCallId: string;
  /** Milliseconds until the hub cancels it. */
  readonly left: number | undefined;
  /** Whether the hub sent it before, possibly to another window. */
  readonly again: boolean;
  /** Its trace context. */
  readonly trace: TraceContext | undefined;
  /** Max bytes of an answer that the hub accepts. */
  readonly mostBytes: number;
}

type HubMessage = HubCall | { readonly type: "tool_cancel"; readonly id: string };

type Response =
  /** With the JSON text of a result. */
  | { readonly success: true; readonly result: string }
  | { readonly success: false; readonly error: string; readonly code: ErrorCode };

interface Running {
  readonly toolCallId: string;
  readonly stop: AbortController;
}

export function createCallRelay({ link, send }: CallRelayOptions): CallRelay {
  const running = new Map<string, Running>();
  const answers = createKeptAnswers();

  async function run(call: HubCall): Promise<void> {
    const { id, toolCallId } = call;
    const stop = new AbortController();
    running.set(id, { toolCallId, stop });
    const response = await make(call, stop.signal).then(success, failure);
    running.delete(id);
    const answer = answerText(call, response);
    answers.add(id, answer);
    send(answer);
  }

  async function make({ id, name, origin, arguments: args, left, again, trace }: HubCall, signal: AbortSignal) {
    // The hub may not know yet that the page was replaced by another one, which may have a tool of this name.
    if (origin !== undefined && !("origin" in link.state && link.state.origin === origin)) throw gone(name, again);
    const timeout = left !== undefined && { timeout: left };
    return link.callTool(name, args, { callId: id, signal, again, trace, asText: true, ...timeout });
  }

  return {
    get isBusy() {
      return running.size > 0;
    },
    take(text) {
      const message = readHubMessage(text);
      if (!message) return;
      const { id } = message;
      if (message.type === "tool_cancel") return running.get(id)?.stop.abort();
      const answer = answers.get(id);
      if (answer !== undefined) send(answer);
      else if (!running.has(id)) void run(message);
    },
    progress({ callId, ...progress }) {
      const call = running.get(callId);
      if (call) send(JSON.stringify({ type: "tool_progress", request_id: callId, ...progress }));
      return call?.toolCallId;
    },
    stop() {
      for (const { stop } of running.values()) stop.abort();
    },
  };
}

function readHubMessage(text: string): HubMessage | undefined {
  const message = parseJsonObject(text, pageLimits.jsonDepth);
  if (!message) return undefined;
  const {
    type,
    request_id: id,
    tool_name: name,
    arguments: given = {},
    tool_call_id: toolCallId = id,
    origin,
    left,
    again,
    trace,
    answer_bytes: mostBytes,
  } = message;
  if (typeof id !== "string" || !identifierPattern.test(id)) return undefined;
  if (type === "tool_cancel") return { type, id };
  if (type !== "tool_call" || typeof name !== "string" || typeof toolCallId !== "string") return undefined;
  if (!isJsonObject(given)) return undefined;
  return {
    type,
    id,
    name,
    origin: typeof origin === "string" ? origin : undefined,
    arguments: given,
    toolCallId,
    left: typeof left === "number" && left >= 0 ? left : undefined,
    again: again === true,
    trace: parseTrace(trace),
    mostBytes: typeof mostBytes === "number" ? mostBytes : pageLimits.frameBytes,
  };
}

function success(result: unknown): Response {
  return { success: true, result: result as string };
}

function failure(error: unknown): Response {
  const code = PagewireError.isInstance(error) ? error.code : "internal-error";
  return { success: false, error: messageOf(error), code };
}

function gone(name: string, again: boolean): PagewireError {
  const message = `The page that offered "${name}" is not there any more`;
  if (!again) return new PagewireError("not-delivered", `${message}: the call did not run.`);
  return new PagewireError("outcome-unknown", `${message}: whether the call did anything is not known.`);
}

function answerText({ id, name, mostBytes }: HubCall, response: Response): string {
  const text = textOf(id, response);
  // UTF-8 takes at most three bytes for each UTF-16 unit.
  if (text.length * 3 <= mostBytes || new TextEncoder().encode(text).length <= mostBytes) return text;
  const error = `The result of "${name}" is larger than ${mostBytes} bytes.`;
  return textOf(id, { success: false, error, code: "result-too-large" });
}

/**
 * The id comes last: of two that a text of the page's makes of it the last counts, and where the whole cannot be read,
 * the hub finds it at the end.
 */
function textOf(id: string, response: Response): string {
  const told = response.success ? `{"success":true,"result":${response.result}}` : JSON.stringify(response);
  return `{"response":${told},"type":"tool_response","request_id":${JSON.stringify(id)}}`;
}

/** Answers to the hub's calls, in case the hub did not receive them and asks again. */
interface KeptAnswers {
  get(id: string): string | undefined;
  add(id: string, answer: string): void;
}

const mostAnswers = 200;
const mostCharacters = 64_000_000;

/** Evicts the oldest answers; the page may still have those. */
function createKeptAnswers(): KeptAnswers {
  const answers = new Map<string, string>();
  let characters = 0;
  return {
    get: (id) => answers.get(id),
    add(id, answer) {
      answers.set(id, answer);
      characters += answer.length;
      for (const [oldest, text] of answers) {
        if (answers.size <= mostAnswers && characters <= mostCharacters) break;
        answers.delete(oldest);
        characters -= text.length;
      }
    },
  };
}
