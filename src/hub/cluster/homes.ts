// The things that live at one hub, such as conversations. The database says which hub has one: a hub that was stopped may
// believe that it has what another took meanwhile.
import type { Clock } from "../../link/index.ts";
import { PagewireError } from "../../wire/index.ts";
import type { HomeStore, Store } from "../store/index.ts";
import { nobody } from "../store/index.ts";
import type { Cluster } from "./cluster.ts";

/** A thing that this hub has. */
export interface Hold {
  /**
   * Whether the hub still has it, by the database. While that does not answer, it has what no other can have taken: the others
   * knew this hub all the time since the last answer.
   */
  check(): Promise<boolean>;
  /** The thing is left once all its holds are closed. Can be called twice. */
  close(): void;
}

export interface HomesOptions {
  readonly store: HomeStore;
  readonly cluster: Pick<Cluster, "id" | "isUp" | "others" | "onJoined">;
  readonly clock: Clock;
}

interface Held {
  /** Called when another hub has it. */
  readonly losses: Set<() => void>;
  readonly taken: Promise<string>;
  /** When the database was last asked, and said that this hub has it. */
  sureAt: number;
}

const watchTime = 1000;
/** Rows that are not used are deleted after a week. */
const useTime = 60 * 60 * 1000;

export class Homes {
  readonly #options: HomesOptions;
  readonly #held = new Map<string, Held>();
  readonly #stops: (() => void)[] = [];
  #stopTimer = () => {};
  #checkedAt: number;
  #checking: Promise<void> | undefined;

  constructor(options: HomesOptions) {
    this.#options = options;
    this.#checkedAt = options.clock.now();
    this.#stops.push(options.cluster.onJoined(() => void this.checkAll()));
    this.#watch();
  }

  /**
   * Takes a thing, or resolves with the id of the hub that has it. Rejects if the database or the bus cannot say. `lost` is
   * called if another hub takes it: this one must have been silent.
   */
  async hold(name: string, lost: () => void = () => {}): Promise<Hold | string> {
    const { id } = this.#options.cluster;
    const held = this.#held.get(name) ?? this.#begin(name);
    const onLost = () => lost();
    const close = () => this.#drop(name, held, onLost);
    held.losses.add(onLost);
    try {
      const hub = await held.taken;
      if (hub === id) return { check: () => this.#check(name, held), close };
      this.#end(name, held, onLost);
      return hub;
    } catch (error) {
      this.#end(name, held, onLost);
      throw error;
    }
  }

  /** Another hub that has a thing and is there; undefined if there is none. */
  async elsewhere(name: string): Promise<string | undefined> {
    const { store, cluster } = this.#options;
    if (this.#held.has(name)) return undefined;
    const hub = await store.find(name).catch(() => undefined);
    return hub !== undefined && hub !== cluster.id && cluster.others.has(hub) ? hub : undefined;
  }

  /** Finds what others have taken, and marks the rest as used. */
  checkAll(): Promise<void> {
    return (this.#checking ??= this.#checkEach().finally(() => (this.#checking = undefined)));
  }

  close(): void {
    this.#stopTimer();
    for (const stop of this.#stops) stop();
  }

  #begin(name: string): Held {
    const held: Held = { losses: new Set(), taken: this.#take(name), sureAt: this.#options.clock.now() };
    this.#held.set(name, held);
    return held;
  }

  async #take(name: string): Promise<string> {
    const { store, cluster } = this.#options;
    let gone: string = nobody;
    for (;;) {
      const hub = await store.take(name, cluster.id, gone);
      if (hub === cluster.id) return hub;
      if (hub !== nobody && !(await cluster.others.isGone(hub))) return here(hub, cluster.isUp);
      gone = hub;
    }
  }

  /** Returns whether it was the last hold of what this hub has. */
  #end(name: string, held: Held, onLost: () => void): boolean {
    if (!held.losses.delete(onLost) || held.losses.size > 0 || this.#held.get(name) !== held) return false;
    return this.#held.delete(name);
  }

  #drop(name: string, held: Held, onLost: () => void): void {
    const { store, cluster } = this.#options;
    // A home that cannot be left is another hub's once this one is gone.
    if (this.#end(name, held, onLost)) void store.leave(name, cluster.id).catch(() => {});
  }

  async #check(name: string, held: Held): Promise<boolean> {
    const { store, cluster, clock } = this.#options;
    if (this.#held.get(name) !== held) return false;
    const askedAt = clock.now();
    const hub = await store.take(name, cluster.id).catch(() => undefined);
    if (hub === undefined) return cluster.others.seenSince <= held.sureAt;
    if (hub === cluster.id) {
      held.sureAt = askedAt;
      return true;
    }
    if (this.#held.get(name) !== held) return false;
    this.#held.delete(name);
    for (const lost of held.losses) lost();
    return false;
  }

  async #checkEach(): Promise<void> {
    this.#checkedAt = this.#options.clock.now();
    for (const [name, held] of [...this.#held]) {
      const hub = await held.taken.catch(() => undefined);
      if (hub === this.#options.cluster.id) await this.#check(name, held);
    }
  }

  #watch(): void {
    const { cluster, clock } = this.#options;
    // Cut off from the bus, this hub counts as gone at others.
    if (!cluster.isUp || clock.now() - this.#checkedAt >= useTime) void this.checkAll();
    this.#stopTimer = clock.after(watchTime, () => this.#watch());
  }
}

function here(hub: string, isUp: boolean): string {
  if (isUp) return hub;
  throw new PagewireError("bus-unavailable", "The hub that has this cannot be reached.", { retryAfter: watchTime });
}

/** The store, which changes a conversation only while this hub has it. */
export function ownChanges(store: Store, hub: () => string | undefined): Store {
  return {
    ...store,
    write(key, change) {
      const id = hub();
      return store.write(key, id === undefined ? change : { ...change, hub: id });
    },
    remove: (key) => store.remove(key, hub()),
  };
}
