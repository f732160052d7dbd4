// Hubs ask each other for everything when they meet, and when messages between them may have been lost.
import type { JsonObject } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import { nameIn } from "./lease.ts";
import type { Losses } from "./losses.ts";
import type { Member, Members } from "./members.ts";
import type { Post, Reader } from "./messages.ts";
import type { Others } from "./others.ts";
import type { Places } from "./places.ts";
import type { RemoteTabs } from "./remote-tabs.ts";

export interface RecoveryOptions {
  readonly losses: Losses;
  readonly members: Pick<Members, "ids" | "isUp">;
  readonly others: Pick<Others, "lose">;
  readonly places: Pick<Places, "forget" | "reached">;
  readonly reader: Pick<Reader, "forget">;
  readonly remote: Pick<RemoteTabs, "askAll" | "lose" | "relearn">;
  /** The last numbers of this hub's messages. */
  readonly counts: () => JsonObject;
  readonly post: Post;
  /** Messages that wait for a hub count for nothing. */
  readonly restart: (hub: string) => void;
  /** Announces to all that this hub begins, or begins again. */
  readonly greet: () => void;
  readonly note: Note;
}

export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #joined = new Set<(hub: string) => void>();
  /** How often messages of another hub were lost. */
  losses = 0;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  onJoined(listener: (hub: string) => void): () => void {
    this.#joined.add(listener);
    return () => this.#joined.delete(listener);
  }

  /** Asks a hub for everything. */
  meet(hub: string): void {
    const { losses, post, remote, restart } = this.#options;
    losses.asked(hub);
    restart(hub);
    post(hub, ["hello"]);
    remote.askAll(hub);
    this.#joinedBy([hub]);
  }

  /** A hub asks for everything: if it is known, it does not know this one, or lost messages. */
  greeted(hub: string, isKnown: boolean): void {
    const { post, counts, remote } = this.#options;
    if (isKnown) this.#forget(hub, false);
    post(hub, ["counts"], JSON.stringify(counts()));
    if (!isKnown) return;
    remote.askAll(hub);
    this.#joinedBy([hub]);
  }

  /** Messages of a hub were lost: as if it had been cut off. */
  relearn(hub: string): void {
    this.losses++;
    this.#options.note("warn", "hub-messages-lost", { hub });
    this.#forget(hub, true);
    this.meet(hub);
  }

  gone({ id, about }: Member): void {
    this.#options.note("warn", "hub-gone", { hub: id, name: nameIn(about) });
    this.#forget(id, true);
  }

  /** The bus is down, or back. */
  stateChanged(): void {
    const { losses, members, note, others, places, remote, greet, restart } = this.#options;
    for (const hub of members.ids) restart(hub);
    note("warn", members.isUp ? "bus-up" : "bus-down", {});
    if (!members.isUp) {
      others.lose();
      return remote.lose();
    }
    for (const hub of members.ids) losses.asked(hub);
    greet();
    remote.relearn();
    places.reached();
    this.#joinedBy(members.ids);
  }

  #joinedBy(hubs: readonly string[]): void {
    for (const hub of hubs) for (const listener of this.#joined) listener(hub);
  }

  #forget(hub: string, isGone: boolean): void {
    const { others, places, reader, remote, restart } = this.#options;
    restart(hub);
    reader.forget(hub);
    others.lose(hub);
    remote.lose(hub);
    places.forget(hub, isGone);
  }
}
