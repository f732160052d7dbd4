// Where sessions live if there are several hubs. The id of a session names the hub that it began at. When that hub is gone, or
// stops, the next hub that gets a request takes the session over, from its record in the database, which then says where it is.
import { createHash } from "node:crypto";
import { PagewireError } from "../../../wire/index.ts";
import type { Cluster } from "../../cluster/cluster.ts";
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

  /** Gives sessions away that other hubs ask for while this one stops, if it can. */
  gives(give: (id: string) => Promise<boolean>): void {
    this.#others.answers(topic, async ({ id }) => ({ isGiven: typeof id === "string" && (await give(id)) }));
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
    // It has just ended here.
    if (home === this.#here) return undefined;
    const isFree = await this.#isFree(home, id);
    const taker = isFree ? await this.#store.homes.take(nameOf(id), this.#here, home) : home;
    if (taker !== this.#here) return this.#remember(id, taker);
    // Anew: the other hub may have changed it until it gave it away.
    const record = await this.#record(id);
    return isOf(record, isTheirs) ? { record } : undefined;
  }

  /** Writes a session down. Every hub with a moved session says from time to time that it still has it. */
  async keep(id: string, record: SessionRecord, forgetAt: number): Promise<void> {
    await this.#store.setRecord(kind, digestOf(id), toStored(record, forgetAt));
    if (this.#others.hubOf(id) !== undefined) await this.#store.homes.take(nameOf(id), this.#here);
  }

  async forget(id: string): Promise<void> {
    await this.#store.setRecord(kind, digestOf(id), undefined);
    if (this.#others.hubOf(id) !== undefined) await this.#store.homes.leave(nameOf(id), this.#here);
  }

  async #record(id: string): Promise<SessionRecord | undefined> {
    return fromStored(await this.#store.record(kind, digestOf(id)));
  }

  async #homeOf(id: string): Promise<string> {
    const moved = await this.#store.homes.find(nameOf(id));
    return moved ?? this.#others.hubOf(id) ?? this.#here;
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

/** An id is no credential, but whoever has it and the token has the session. */
function digestOf(id: string): string {
  return createHash("sha256").update(id).digest("base64url");
}

function nameOf(id: string): string {
  return `mcp ${digestOf(id)}`;
}
