// Small questions of one hub to another and their answers, as JSON.
import type { Clock } from "../../link/index.ts";
import { PagewireError, isErrorCode, isJsonObject, parseJsonObject } from "../../wire/index.ts";
import type { JsonObject, Message } from "../../wire/index.ts";
import type { Head, Received } from "./messages.ts";

export type Answering = (value: JsonObject, from: string) => JsonObject | Promise<JsonObject>;

export interface RequestsOptions {
  readonly clock: Clock;
  readonly post: (hub: string, head: Head, body?: Message) => void;
  readonly onFailure: (topic: string, error: unknown) => void;
}

interface Asked {
  readonly hub: string;
  readonly settle: (answer: JsonObject | PagewireError) => void;
}

const answerTime = 2000;
const maxDepth = 32;

export class Requests {
  readonly #options: RequestsOptions;
  readonly #asked = new Map<string, Asked>();
  readonly #answering = new Map<string, Answering>();
  #count = 0;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /** Resolves with the answer of a hub; rejects with its refusal, or with `bus-unavailable`. */
  ask(hub: string, topic: string, value: JsonObject): Promise<JsonObject> {
    const { clock, post } = this.#options;
    const id = `${++this.#count}`;
    return new Promise((resolve, reject) => {
      const settle = (answer: JsonObject | PagewireError) => {
        this.#asked.delete(id);
        stopTimer();
        if (PagewireError.isInstance(answer)) reject(answer);
        else resolve(answer);
      };
      const stopTimer = clock.after(answerTime, () => settle(unanswered()));
      this.#asked.set(id, { hub, settle });
      post(hub, ["question", id, topic], JSON.stringify(value));
    });
  }

  /** Answers the questions about a topic. */
  answers(topic: string, answering: Answering): void {
    this.#answering.set(topic, answering);
  }

  receive(received: Received): void {
    if (received.kind === "question") void this.#answer(received);
    else this.#answered(received);
  }

  /** Messages of this hub, or of all, may be lost. */
  lose(hub?: string): void {
    for (const asked of this.#asked.values()) if (hub === undefined || asked.hub === hub) asked.settle(unanswered());
  }

  async #answer({ from, words: [id = "", topic = ""], body }: Received): Promise<void> {
    const { post, onFailure } = this.#options;
    try {
      const value = parseJsonObject(body.toString(), maxDepth) ?? {};
      const answering = this.#answering.get(topic);
      if (!answering) throw new PagewireError("route-not-found", "This hub does not know that question.");
      const answer = await answering(value, from);
      post(from, ["reply", id, "ok"], JSON.stringify(answer));
    } catch (error) {
      if (!PagewireError.isInstance(error)) onFailure(topic, error);
      const { code, message } = PagewireError.isInstance(error) ? error : internal();
      post(from, ["reply", id, "refused"], JSON.stringify({ code, message }));
    }
  }

  #answered({ from, words: [id = "", how], body }: Received): void {
    const asked = this.#asked.get(id);
    if (asked?.hub !== from) return;
    const value = parseJsonObject(body.toString(), maxDepth);
    if (!isJsonObject(value)) return asked.settle(unanswered());
    if (how === "ok") return asked.settle(value);
    const { code, message } = value;
    asked.settle(isErrorCode(code) && typeof message === "string" ? new PagewireError(code, message) : internal());
  }
}

function unanswered(): PagewireError {
  return new PagewireError("bus-unavailable", "Another hub does not answer. Try again in a moment.");
}

function internal(): PagewireError {
  return new PagewireError("internal-error", "Another hub failed to answer. Its log says why.");
}
