// The questions that the page asks during one call. Each reaches its handler once, even if it is repeated.
import { isJsonObject, messageOf } from "../wire/index.ts";
import type { AskMethod, ErrorCode, JsonObject } from "../wire/index.ts";
import type { AskHandler, HubClientOptions } from "./hub-client.ts";

/** The answer in its wire format. */
export type Answer = { readonly payload: string } | { readonly code: ErrorCode; readonly message: string };

export interface Questions {
  /** Resolves with the answer, and never rejects. */
  answer(ask: string, method: AskMethod, parameters: JsonObject | undefined): Promise<Answer>;
  /** The question was answered elsewhere: its handler's answer is no longer needed. */
  answered(ask: string): void;
  /** The call has ended: the answers are no longer needed. */
  close(): void;
}

const LONGEST_MESSAGE = 4096;

export function createQuestions(name: string, handlers: HubClientOptions["onAsk"] = {}): Questions {
  const answers = new Map<string, Promise<Answer>>();
  const aborters = new Map<string, AbortController>();

  async function put(
    ask: string,
    handler: AskHandler | undefined,
    parameters: JsonObject | undefined,
  ): Promise<Answer> {
    if (handler === undefined) return { code: "ask-unsupported", message: "The caller cannot answer such questions." };
    if (parameters === undefined) return { code: "ask-failed", message: "The question is not a JSON object." };
    const aborter = new AbortController();
    aborters.set(ask, aborter);
    try {
      const answer: unknown = await handler(parameters, { name, signal: aborter.signal });
      if (isJsonObject(answer)) return { payload: JSON.stringify(answer) };
      return { code: "ask-failed", message: "The caller's answer is not a JSON object." };
    } catch (error) {
      return { code: "ask-failed", message: messageOf(error).slice(0, LONGEST_MESSAGE) };
    }
  }

  return {
    answer(ask, method, parameters) {
      const answer = answers.get(ask) ?? put(ask, handlers[method], parameters);
      answers.set(ask, answer);
      return answer;
    },
    answered: (ask) => aborters.get(ask)?.abort(new Error("The question was answered elsewhere.")),
    close() {
      for (const aborter of aborters.values()) aborter.abort();
    },
  };
}
