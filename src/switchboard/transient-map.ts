/**
 * A Map, by text, for what comes and goes with every call. In a Map such things do not quite go: V8 links each table that
 * a Map has outgrown, with all that was in it, to the next one, and once one of them is old, nothing on that chain is let
 * go of until the next full garbage collection. An object that serves as a table has no such chain.
 */
export class TransientMap<Value> {
  readonly #held = Object.create(null) as Record<string, Value>;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): Value | undefined {
    return this.#held[key];
  }

  has(key: string): boolean {
    return key in this.#held;
  }

  set(key: string, value: Value): void {
    if (!this.has(key)) this.#size++;
    this.#held[key] = value;
  }

  /** Says whether there was something under this key. */
  delete(key: string): boolean {
    if (!this.has(key)) return false;
    this.#size--;
    return delete this.#held[key];
  }

  /** All that is held now; what is added or deleted meanwhile does not change it. */
  values(): readonly Value[] {
    return Object.values(this.#held);
  }
}
