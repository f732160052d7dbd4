// Findings by key: each is kept for a time, and of all of them the most recently used.

interface Entry<Value> {
  readonly value: Value;
  readonly since: number;
  readonly until: number;
}

export interface KeptOptions {
  /** Max number of entries. */
  readonly most: number;
  readonly now: () => number;
}

export class Kept<Value> {
  /** The least recently used first. */
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #options: KeptOptions;

  constructor(options: KeptOptions) {
    this.#options = options;
  }

  get(key: string): Value | undefined {
    const found = this.#entries.get(key);
    if (!found) return undefined;
    this.#entries.delete(key);
    const now = this.#options.now();
    // A clock that is set back would keep it for longer.
    if (now >= found.until || now < found.since) return undefined;
    this.#entries.set(key, found);
    return found.value;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  set(key: string, value: Value, until: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, since: this.#options.now(), until });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#options.most && oldest !== undefined) this.#entries.delete(oldest);
  }
}
