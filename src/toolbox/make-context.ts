import { PagewireError, logLevels, messageOf, shortMessage } from "../wire/index.ts";
import type { Json } from "../wire/index.ts";
import { checkSize, deepestPart } from "./to-json.ts";
import type { CallContext, CallEnvironment } from "./context.ts";
import { toData } from "./to-data.ts";
import type { ToolboxLimits } from "./toolbox.ts";

/** A call while its handler runs. */
export interface OpenCall {
  readonly environment: CallEnvironment;
  readonly limits: ToolboxLimits;
  /** Whether it has ended: its context then ignores progress, logs and questions. */
  isClosed: boolean;
  /** Created with the first question: resolves when the call ends, or is aborted. */
  ending?: Promise<void>;
  end?: () => void;
}

/** Whether a call was aborted or has ended. */
export function isOver({ environment, isClosed }: OpenCall): boolean {
  return isClosed || (environment.isOver ?? environment.signal.aborted);
}

/** A handler's second argument. */
export function makeContext(call: OpenCall): CallContext {
  const { environment, limits } = call;
  const { callId, agent, deadline, asks, input, trace } = environment;
  let last = -Infinity;

  return {
    callId,
    agent,
    get signal() {
      return environment.signal;
    },
    deadline,
    asks,
    ...(input && { input }),
    trace,
    progress(progress, total, message) {
      // Handlers may pass anything, and a malformed frame would close the connection.
      if (isOver(call) || !Number.isFinite(progress) || progress <= last) return;
      last = progress;
      environment.progress(progress, Number.isFinite(total) ? total : undefined, textIn(message, shortMessage));
    },
    log(level, data, logger) {
      if (isOver(call)) return;
      let sent: Json;
      try {
        sent = sendable("The log", data, limits);
      } catch (error) {
        // A log entry that cannot be sent must not fail the call.
        sent = messageOf(error);
      }
      const known = logLevels.includes(level) ? level : "info";
      environment.log(
        known,
        sent,
        textIn(logger, (name) => name.slice(0, 128)),
      );
    },
    ask: async (question) => (await loadRounds()).askUser(call, question),
    sample: async (parameters) => (await loadRounds()).ask(call, "sampling/createMessage", parameters),
  };
}

/** Loads the code that asks questions. */
export function loadRounds(): Promise<typeof import("./rounds.ts")> {
  return import("./rounds.ts").catch(nobodyAsked);
}

/** The code for questions could not be loaded. Adds to the browser's error that the handler began, and a remedy. */
export function nobodyAsked(cause: unknown): never {
  if (PagewireError.isInstance(cause)) throw cause;
  const why = messageOf(cause).slice(0, 999);
  const message = `Nobody could be asked: a part of the page could not be loaded (${why}). The handler ran up to its question. If the page has Pagewire from a hub, that hub must run and let the page in. Then call again.`;
  throw new PagewireError("ask-failed", message, { cause });
}

/** Converts a value to plain data; throws with the path of a part that cannot be sent. */
export function sendable(what: string, value: unknown, limits: ToolboxLimits): Json {
  const code = "ask-failed";
  const data = toData(value, { what, code, deepest: deepestPart(limits) });
  checkSize(what, JSON.stringify(data), { limit: "frameBytes", most: limits.frameBytes - limits.headerBytes, code });
  return data;
}

function textIn(value: unknown, shorten: (text: string) => string): string | undefined {
  return typeof value === "string" ? shorten(value) : undefined;
}
