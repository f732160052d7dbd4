// The calls of the timeline: the newest of the audit, earlier ones when they are wanted, and what happens from now on. It
// keeps a bounded number of rows; while it is held it counts new calls and keeps none.
import { signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import { pageIn } from "./call-row.ts";
import type { CallPage, CallRow } from "./call-row.ts";

export interface CallListState {
  /** The newest first. */
  readonly rows: readonly CallRow[];
  readonly isRecorded: boolean;
  readonly isLoading: boolean;
  readonly problem: unknown;
  readonly hasOlder: boolean;
  /** Whether the rows begin with the newest call: later ones were dropped to make room for earlier ones. */
  readonly hasNewest: boolean;
  /** New calls since it was held. */
  readonly news: number;
}

export interface CallListParts {
  /** Reads `/api/calls` with these parameters and the filters. */
  read(parameters: Readonly<Record<string, string>>): Promise<unknown>;
}

export const mostRows = 3000;
const pageSize = 200;
/** A search that finds little goes on by itself for this many requests. */
const mostSearches = 5;
/** A list that is this far behind begins again with the newest. */
const mostBehind = 3;
export const mostNews = 9999;

const start: CallListState = {
  ...{ rows: [], isRecorded: true, isLoading: true, problem: undefined },
  ...{ hasOlder: false, hasNewest: true, news: 0 },
};

export class CallList {
  readonly #parts: CallListParts;
  readonly #state = signal<CallListState>(start);
  #before: string | undefined;
  #after: string | undefined;
  #isHeld = false;
  #isFollowing = false;
  #isClosed = false;
  /** Increases when the list begins again: answers to earlier requests are of another list. */
  #round = 0;

  constructor(parts: CallListParts) {
    this.#parts = parts;
    void this.restart();
  }

  get state(): ReadonlySignal<CallListState> {
    return this.#state;
  }

  /** Begins again with the newest calls; quietly where the user has not asked for it. */
  async restart(isQuiet = false): Promise<void> {
    const round = ++this.#round;
    if (!isQuiet) this.#set({ isLoading: true, problem: undefined });
    await this.#try(round, async () => {
      const page = await this.#page({});
      if (!this.#isOf(round)) return;
      this.#set({ problem: undefined });
      this.#before = page.before;
      this.#after = page.after;
      const { isRecorded, calls: rows } = page;
      this.#set({ rows, isRecorded, hasOlder: page.before !== undefined, hasNewest: true, news: 0 });
      await this.#search(round);
    });
  }

  /** Adds earlier calls. */
  async older(): Promise<void> {
    const { isLoading, hasOlder } = this.#state.value;
    if (isLoading || !hasOlder) return;
    const round = this.#round;
    this.#set({ isLoading: true, problem: undefined });
    await this.#try(round, () => this.#search(round, true));
  }

  /** Adds what has happened since. Call it again and again. */
  async follow(): Promise<void> {
    if (this.#isFollowing || this.#state.value.isLoading || this.#isClosed) return;
    if (this.#after === undefined) return this.restart(true);
    const round = this.#round;
    this.#isFollowing = true;
    try {
      await this.#catchUp(round);
    } catch (problem) {
      if (this.#isOf(round)) this.#set({ problem });
    } finally {
      this.#isFollowing = false;
    }
  }

  /** While it is held no rows come in. */
  hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    if (!isHeld && (this.#state.value.news > 0 || !this.#state.value.hasNewest)) void this.restart(true);
  }

  close(): void {
    this.#isClosed = true;
  }

  async #catchUp(round: number): Promise<void> {
    for (let n = 0; n < mostBehind; n++) {
      const page = await this.#page({ after: this.#after ?? "" });
      if (!this.#isOf(round)) return;
      this.#after = page.after ?? this.#after;
      if (page.calls.length > 0) this.#add(page.calls);
      if (this.#state.value.problem !== undefined) this.#set({ problem: undefined });
      if (page.calls.length < pageSize) return;
    }
    if (!this.#isHeld) await this.restart(true);
  }

  #add(calls: readonly CallRow[]): void {
    const { rows, news, hasNewest } = this.#state.value;
    if (this.#isHeld || !hasNewest) return this.#set({ news: Math.min(mostNews, news + calls.length) });
    const all = [...calls.toReversed(), ...rows];
    const kept = all.slice(0, mostRows);
    if (kept.length < all.length) this.#before = kept.at(-1)?.id;
    this.#set({ rows: kept, hasOlder: this.#before !== undefined });
  }

  /** Reads earlier pages until there is something to show, or enough was looked at. */
  async #search(round: number, isWanted = false): Promise<void> {
    let found = isWanted ? 0 : this.#state.value.rows.length;
    for (let n = 0; n < mostSearches && found < pageSize && this.#before !== undefined; n++) {
      const page = await this.#page({ before: this.#before });
      if (!this.#isOf(round)) return;
      found += page.calls.length;
      this.#before = page.before;
      const all = [...this.#state.value.rows, ...page.calls];
      const rows = all.slice(-mostRows);
      const hasNewest = this.#state.value.hasNewest && rows.length === all.length;
      this.#set({ rows, hasNewest, hasOlder: page.before !== undefined });
      if (isWanted && found > 0) return;
    }
  }

  async #page(parameters: Readonly<Record<string, string>>): Promise<CallPage> {
    return pageIn(await this.#parts.read({ ...parameters, limit: String(pageSize) }));
  }

  async #try(round: number, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (problem) {
      if (this.#isOf(round)) this.#set({ problem });
    }
    if (this.#isOf(round)) this.#set({ isLoading: false });
  }

  #isOf(round: number): boolean {
    return !this.#isClosed && round === this.#round;
  }

  #set(more: Partial<CallListState>): void {
    this.#state.value = { ...this.#state.value, ...more };
  }
}
