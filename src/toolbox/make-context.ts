import { PagewireError, isJsonObject, logLevels, messageOf, shortMessage } from "../wire/index.ts";
import type { AskMethod, Json, JsonObject } from "../wire/index.ts";
import { checkSize, deepestPart } from "./to-json.ts";
import type { CallContext, CallEnvironment } from "./context.ts";
import { toData } from "./to-data.ts";
import type { ToolboxLimits } from "./toolbox.ts";

/** A handler's context, and how it ends. */
export interface MadeContext {
  readonly context: CallContext;
  /** Asks a question in MCP's form; rejects when the call is over. */
  ask(method: AskMethod, parameters: object): Promise<JsonObject>;
  /** Whether the call was aborted or has ended. The context then passes nothing on and asks nobody. */
  isOver(): boolean;
  /** Ends the context, and stops listening. */
  close(): void;
}

export function makeContext(environment: CallEnvironment, limits: ToolboxLimits): MadeContext {
  const { callId, agent, deadline, asks, input } = environment;
  const signal = environment.isOver === undefined ? environment.signal : undefined;
  let isClosed = false;
  let last = -Infinity;
  let over: Promise<void> | undefined;
  let endQuestions: (() => void) | undefined;
  const isOver = () => isClosed || environment.isOver === true;

  function close(): void {
    isClosed = true;
    signal?.removeEventListener("abort", close);
    endQuestions?.();
  }

  // Before the handler can listen: what it still says when it is aborted comes too late.
  signal?.addEventListener("abort", close);
  if (signal?.aborted) close();

  /** Through JSON, so that what cannot be sent is refused here and by its path. */
  function sendable(what: string, value: unknown): Json {
    const code = "ask-failed";
    const json = JSON.stringify(toData(value, { what, code, deepest: deepestPart(limits) }));
    checkSize(what, json, { limit: "frameBytes", most: limits.frameBytes - limits.headerBytes, code });
    return JSON.parse(json) as Json;
  }

  async function ask(method: AskMethod, parameters: object): Promise<JsonObject> {
    const question = sendable("The question", parameters) as JsonObject;
    over ??= new Promise((resolve) => (endQuestions = resolve));
    const answer: unknown = isOver() || (await Promise.race([over, environment.ask(method, question)]));
    if (isJsonObject(answer)) return answer;
    throw failed(
      isOver() ? "The call is over: nobody can be asked any more." : "The answer to the question is not an object.",
    );
  }

  const context: CallContext = {
    callId,
    agent,
    get signal() {
      return environment.signal;
    },
    deadline,
    asks,
    ...(input && { input }),
    progress(progress, total, message) {
      // Handlers are any author's code, and a frame with a field of the wrong form would end the connection.
      if (isOver() || !Number.isFinite(progress) || progress <= last) return;
      last = progress;
      environment.progress(progress, Number.isFinite(total) ? total : undefined, textIn(message, shortMessage));
    },
    log(level, data, logger) {
      if (isOver()) return;
      let sent: Json;
      try {
        sent = sendable("The log", data);
      } catch (error) {
        // A log that cannot be sent must not end the work that it tells of.
        sent = messageOf(error);
      }
      const known = logLevels.includes(level) ? level : "info";
      environment.log(
        known,
        sent,
        textIn(logger, (name) => name.slice(0, 128)),
      );
    },
    async ask({ message, requestedSchema = { type: "object", properties: {} } }) {
      const { action, content } = await ask("elicitation/create", { message, requestedSchema });
      if (action !== "accept" && action !== "decline" && action !== "cancel") {
        throw failed("The answer to the question has no known action.");
      }
      return isJsonObject(content) ? { action, content } : { action };
    },
    sample: (parameters) => ask("sampling/createMessage", parameters),
  };
  return { context, ask, isOver, close };
}

function textIn(value: unknown, shorten: (text: string) => string): string | undefined {
  return typeof value === "string" ? shorten(value) : undefined;
}

function failed(message: string): PagewireError {
  return new PagewireError("ask-failed", message);
}
