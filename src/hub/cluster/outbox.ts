// Messages wait for another hub until it has read what was sent to it before. Each principal has a lane of its own, and lanes take
// turns, so that one with large frames delays its own alone.

/** A hub is sent this much that it has not said it has read, and says so each time that it has read a part of it. */
export const windowBytes = 1024 * 1024;
export const reportedBytes = windowBytes / 4;
/** A lane sends this much in its turn, or one item. */
const turnBytes = 64 * 1024;

interface Lane<Item> {
  readonly items: Item[];
  bytes: number;
  /** Runs once nothing of the lane waits. */
  readonly next: (() => void)[];
}

export class Outbox<Item extends { readonly bytes: number }> {
  readonly #lanes = new Map<string, Lane<Item>>();
  #bytes = 0;
  /** The bytes that were sent and are not known to have been read. */
  unread = 0;

  get isOpen(): boolean {
    return this.unread < windowBytes;
  }

  get isEmpty(): boolean {
    return this.#lanes.size === 0;
  }

  /** All that waits. */
  get bytes(): number {
    return this.#bytes;
  }

  bytesOf(name: string): number {
    return this.#lanes.get(name)?.bytes ?? 0;
  }

  push(name: string, item: Item): void {
    const lane = this.#lanes.get(name) ?? { items: [], bytes: 0, next: [] };
    this.#lanes.set(name, lane);
    lane.items.push(item);
    lane.bytes += item.bytes;
    this.#bytes += item.bytes;
  }

  /** The bytes of the next lane's turn. */
  take(): readonly Item[] {
    const [first] = this.#lanes;
    if (!first) return [];
    const [name, lane] = first;
    let count = 0;
    let bytes = 0;
    while (count < lane.items.length && (count === 0 || bytes < turnBytes)) bytes += lane.items[count++]?.bytes ?? 0;
    const taken = lane.items.splice(0, count);
    lane.bytes -= bytes;
    this.#bytes -= bytes;
    this.#lanes.delete(name);
    if (lane.items.length > 0) this.#lanes.set(name, lane);
    else for (const run of lane.next) queueMicrotask(run);
    return taken;
  }

  /** Runs it once nothing of a lane waits; returns whether it has to wait, and does not run it if not. */
  isWaiting(name: string, run: () => void): boolean {
    return this.#lanes.get(name)?.next.push(run) !== undefined;
  }

  read(bytes: number): void {
    this.unread = Math.max(0, this.unread - bytes);
  }

  /** The other hub asks for everything, or is asked: what waits counts for nothing. */
  clear(): void {
    this.#lanes.clear();
    this.#bytes = 0;
    this.unread = 0;
  }
}
