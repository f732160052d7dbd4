// Messages of a hub to all others, by topic.
import type { JsonObject } from "../../wire/index.ts";
import { isJsonObject, parseJsonObject } from "../../wire/index.ts";
import type { Received } from "./messages.ts";

type Listener = (value: JsonObject, from: string) => void;

const maxDepth = 16;

export class Topics {
  readonly #listeners = new Map<string, Set<Listener>>();

  on(topic: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  receive({ from, words: [topic = ""], body }: Received): void {
    const value = parseJsonObject(body.toString(), maxDepth);
    if (!isJsonObject(value)) return;
    for (const listener of this.#listeners.get(topic) ?? []) listener(value, from);
  }
}
