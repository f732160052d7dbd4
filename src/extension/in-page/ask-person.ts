// Questions to the person in a window of the extension, which no page can draw over or click.
import type { FromPage, PersonAnswer, PersonQuestion } from "../messages.ts";
import { askedMost, askingMost } from "../port/parse-messages.ts";

export interface AskPerson {
  /** Rejects with the signal's reason; the question is over then. */
  ask(question: PersonQuestion, signal: AbortSignal): Promise<PersonAnswer>;
  answered(ask: string, answer: PersonAnswer): void;
  /** The port is there again: the worker may not know the questions that wait. */
  repeat(): void;
}

export function createAskPerson(post: (message: FromPage) => void, newId: () => string): AskPerson {
  const waiting = new Map<string, { readonly question: PersonQuestion; resolve(answer: PersonAnswer): void }>();

  return {
    ask(question, signal) {
      signal.throwIfAborted();
      const size = JSON.stringify("arguments" in question ? question.arguments : question.parameters).length;
      if (size > askedMost) throw new Error("They are too long for a person to read.");
      if (waiting.size >= askingMost) throw new Error(`${askingMost} questions to the person wait already.`);
      const id = newId();
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          waiting.delete(id);
          post({ type: "ask-over", ask: id });
          reject(signal.reason as Error);
        };
        signal.addEventListener("abort", onAbort, { once: true });
        waiting.set(id, {
          question,
          resolve(answer) {
            signal.removeEventListener("abort", onAbort);
            resolve(answer);
          },
        });
        post({ type: "ask", ask: id, question });
      });
    },
    answered(id, answer) {
      const asked = waiting.get(id);
      waiting.delete(id);
      asked?.resolve(answer);
    },
    repeat() {
      post({ type: "asking", asks: [...waiting.keys()] });
      for (const [ask, { question }] of waiting) post({ type: "ask", ask, question });
    },
  };
}
