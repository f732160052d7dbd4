// Questions of tools that run, until each is answered or its call has ended.
import { signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import type { AskHandler } from "pagewire/hub-client";
import type { JsonObject } from "pagewire/wire";

export interface Question {
  readonly id: number;
  /** The called tool. */
  readonly tool: string;
  /** Parameters of MCP's `elicitation/create`. */
  readonly parameters: JsonObject;
  /** Answers with MCP's result, such as `{ action: "accept", content: {} }`. */
  answer(result: JsonObject): void;
}

export interface Questions {
  readonly questions: ReadonlySignal<readonly Question[]>;
  readonly onAsk: { readonly "elicitation/create": AskHandler };
}

export function createQuestions(): Questions {
  const questions = signal<readonly Question[]>([]);
  let count = 0;

  const ask: AskHandler = (parameters, { name, signal: ended }) =>
    new Promise((resolve) => {
      count += 1;
      const id = count;
      const leave = () => (questions.value = questions.value.filter((each) => each.id !== id));
      const answer = (result: JsonObject) => {
        leave();
        resolve(result);
      };
      ended.addEventListener("abort", () => answer({ action: "cancel" }), { once: true });
      questions.value = [...questions.value, { id, tool: name, parameters, answer }];
    });

  return { questions, onAsk: { "elicitation/create": ask } };
}
