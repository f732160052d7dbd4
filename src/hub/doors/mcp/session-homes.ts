// The hubs of sessions, if there are several. The id of a session names the hub that it began at. When that hub is gone, or
// stops, the next hub that gets a request takes the session over, from its record in the database, which then says where it is.
import { createHash } from "node:crypto";
import { PagewireError } from "../../../wire/index.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { nobody } from "../../store/index.ts";
import type { Store } from "../../store/index.ts";
import { fromStored, toStored } from "./session-record.ts";
import type { SessionRecord } from "./session-record.ts";

export type SessionStore = Pick<Store, "record" | "setRecord" | "homes" | "keys">;

/** The other hub that has a session, or the record of one that this hub has taken over. */
export type Found = { readonly hub: string } | { readonly record: SessionRecord };

export interface Looking {
  /** Whether another hub has passed the request on: what this hub remembers may be older than what that one knows. */
  readonly isPassed: boolean;
  /** Whether the session is that of the request's client. */
  readonly isTheirs: (record: SessionRecord) => boolean;
}

const kind = "mcp-sessions";
const topic = "mcp-session";
const maxMoved = 10_000;

export class SessionHomes {
  readonly #here: string;
  readonly #others: Cluster["others"];
  readonly #store: SessionStore;
  /** The hubs of sessions that are not where their ids say. */
  readonly #moved = new Map<string, string>();
  /** Sessions that this hub may have taken, of which it has not read the record yet. */
  readonly #taking = new Set<string>();

  constructor({ id, others }: Pick<Cluster, "id" | "others">, store: SessionStore) {
    this.#here = id;
    this.#others = others;
    this.#store = store;
  }

  get keys(): SessionStore["keys"] {
    return this.#store.keys;
  }

  newId(): string {
    return this.#others.nameHere(crypto.randomUUID());
  }

  /** A session that was here at this time is still here without a look. */
  get sureSince(): number {
    return this.#others.seenSince;
  }

  /** Whether other hubs can be reached. */
  get isUp(): boolean {
    return this.#others.isUp;
  }

  /** Gives sessions away that other hubs ask for while this one stops, if it can. */
  gives(give: (id: string) => Promise<boolean>): void {
    this.#others.answers(topic, async ({ id }, from) => {
      if (typeof id !== "string" || !(await give(id))) return { isGiven: false };
      // The database says so a moment later.
      this.#remember(id, from);
      return { isGiven: true };
    });
  }

  /** Whether no other hub has taken a session that was here. */
  async isHere(id: string): Promise<boolean> {
    return (await this.#homeOf(id)) === this.#here;
  }

  /** Finds a session that is not in this hub's memory, and takes it over if no hub has it; undefined if there is none. */
  async find(id: string, { isPassed, isTheirs }: Looking): Promise<Found | undefined> {
    if (!this.#others.isUp)
      throw new PagewireError("bus-unavailable", "The session may be at another hub, which cannot be reached now.");
    const named = isPassed ? undefined : (this.#moved.get(id) ?? this.#others.hubOf(id));
    if (named !== undefined && this.#others.has(named) && !this.#others.isLeaving(named)) return { hub: named };
    if (!isOf(await this.#record(id), isTheirs)) return undefined;
    const home = await this.#homeOf(id);
    // It has just ended.
    if (home === nobody || (home === this.#here && !this.#taking.has(id))) return undefined;
    const taker = await this.#take(id, home);
    if (taker !== this.#here) return this.#remember(id, taker);
    // Anew: the other hub may have changed it until it gave it away.
    const record = await this.#record(id);
    this.#taking.delete(id);
    return isOf(record, isTheirs) ? { record } : undefined;
  }

  /** Writes a session down. Every hub with a moved session says from time to time that it still has it. */
  async keep(id: string, record: SessionRecord, forgetAt: number): Promise<void> {
    await this.#store.setRecord(kind, digestOf(id), toStored(record, forgetAt));
    if (this.#others.hubOf(id) !== undefined) await this.#store.homes.take(nameOf(id), this.#here);
  }

  async forget(id: string): Promise<void> {
    await this.#store.setRecord(kind, digestOf(id), undefined);
    // Its first hub may sleep, and must not find that it has it still.
    if (this.#others.hubOf(id) !== undefined) await this.#store.homes.take(nameOf(id), nobody, this.#here);
  }

  async #record(id: string): Promise<SessionRecord | undefined> {
    return fromStored(await this.#store.record(kind, digestOf(id)));
  }

  async #homeOf(id: string): Promise<string> {
    const moved = await this.#store.homes.find(nameOf(id));
    return moved ?? this.#others.hubOf(id) ?? this.#here;
  }

  /** Takes a session if it is free; resolves with the hub that has it then. Where that fails, the hub may be this one. */
  async #take(id: string, home: string): Promise<string> {
    if (home !== this.#here && !(await this.#isFree(home, id))) return home;
    if (this.#taking.size >= maxMoved) this.#taking.clear();
    this.#taking.add(id);
    const taker = await this.#store.homes.take(nameOf(id), this.#here, home);
    if (taker !== this.#here) this.#taking.delete(id);
    return taker;
  }

  async #isFree(hub: string, id: string): Promise<boolean> {
    if (!this.#others.has(hub)) return this.#others.isGone(hub);
    return this.#others.isLeaving(hub) && (await this.#others.ask(hub, topic, { id }))["isGiven"] === true;
  }

  #remember(id: string, hub: string): Found {
    if (this.#moved.size >= maxMoved) this.#moved.clear();
    this.#moved.set(id, hub);
    return { hub };
  }
}

function isOf(record: SessionRecord | undefined, isTheirs: Looking["isTheirs"]): record is SessionRecord {
  return record !== undefined && isTheirs(record);
}

/** An id is no credential: a session is its client's who has the token, too. */
function digestOf(id: string): string {
  return createHash("sha256").update(id).digest("base64url");
}

function nameOf(id: string): string {
  return `mcp ${digestOf(id)}`;
}
