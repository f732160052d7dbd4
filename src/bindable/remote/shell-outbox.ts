// Sends a shell's changes over one transport, as fast as the client reads: only the current value of each property, however
// often it changed in between. A client without deltas is also spared most of a growing value's updates.
import { createGathering } from "./gathering.ts";
import type { Gathering } from "./gathering.ts";
import type { Capabilities, ClientAnnouncement, ServerMessage, ServerTransport } from "./messages.ts";
import { fingerprintOf } from "./names.ts";
import { toWireError } from "./remote-error.ts";
import type { Outcome } from "./shell-commands.ts";
import type { ShellContext } from "./shell-context.ts";
import { updateFor } from "./tracked-values.ts";
import type { Tracked } from "./tracked-values.ts";

export interface ShellOutboxOptions {
  readonly context: ShellContext;
  readonly transport: ServerTransport;
  /** More answers wait than the client may leave unread. */
  readonly tooSlow: () => void;
}

export class ShellOutbox {
  readonly #context: ShellContext;
  readonly #transport: ServerTransport;
  readonly #tooSlow: () => void;
  readonly #answers: Outcome[] = [];
  /** Of each property, the client's version and the length of its text. */
  readonly #seen = new Map<string, number>();
  readonly #lengths = new Map<string, number>();
  /** Whether the client is one of Pagewire's. */
  #isOurs = false;
  /** For others, which take whole values only. */
  readonly #gathering: Gathering;
  #state: "new" | "reading" | "synced" | "closed" = "new";
  /** The last change that was sent, of any property. */
  #lastSent = 0;
  /** Properties that changed by an event while initial values were read. */
  #meanwhile: Tracked[] = [];
  #stopRetry: (() => void) | undefined;

  constructor({ context, transport, tooSlow }: ShellOutboxOptions) {
    this.#context = context;
    this.#transport = transport;
    this.#tooSlow = tooSlow;
    this.#gathering = createGathering(context.clock);
  }

  /** Whether the client has not read what it was sent. */
  get isFull(): boolean {
    return (this.#transport.bufferedAmount ?? 0) > this.#context.limits.bufferedBytes;
  }

  send(message: ServerMessage): void {
    try {
      this.#transport.send(message);
    } catch (error) {
      this.#context.logger.error(`A message could not be sent: ${toWireError(error).message}`);
    }
  }

  /** Sends everything; to a client that resumes, only the values that it lacks. */
  sync(isOurs: boolean, resumed?: ClientAnnouncement): void {
    const { values } = this.#context;
    this.#isOurs = isOurs;
    this.#state = "reading";
    this.#meanwhile = [];
    values.read();
    if (resumed) {
      for (const name of values.names) {
        const [version, length] = [resumed.seen?.[name], resumed.lengths?.[name]];
        if (typeof version === "number") this.#seen.set(name, version);
        if (typeof length === "number") this.#lengths.set(name, length);
      }
      this.send({ type: "sync", values: {}, capabilities: this.#capabilities(true) });
    } else {
      this.#sendEverything();
    }
    this.#state = "synced";
    this.#flush();
  }

  changed(tracked: Tracked, byEvent: boolean): void {
    this.#gathering.changed(tracked.name);
    if (this.#state === "reading" && byEvent) this.#meanwhile.push(tracked);
    this.#flush();
  }

  answer(outcome: Outcome): void {
    if (this.#state === "closed") return;
    this.#answers.push(outcome);
    this.#flush();
    if (this.#answers.length > this.#context.limits.unreadAnswers) this.#tooSlow();
  }

  close(): void {
    this.#state = "closed";
    this.#answers.length = 0;
    this.#stopRetry?.();
  }

  #visible(): Tracked[] {
    const { values, plain } = this.#context;
    return [...values].filter(({ name }) => this.#isOurs || plain.properties.includes(name));
  }

  #due(): readonly Tracked[] {
    if (this.#state !== "synced") return [];
    return this.#visible().filter(({ name, version }) => version > (this.#seen.get(name) ?? 0));
  }

  #flush(): void {
    // A client may call a command before it asks for the values.
    while (this.#state === "new" || this.#state === "synced") {
      const due = this.#due();
      // An answer comes after everything that changed before it.
      const isAll = this.#isOurs || this.#answers.length > 0;
      const tracked = oldestOf(isAll ? due : this.#gathering.ready(due, this.#seen));
      if (!tracked && this.#answers.length === 0) return due.length > 0 ? this.#retryLater() : undefined;
      if (this.isFull) return this.#retryLater();
      const outcome = tracked ? undefined : this.#answers.shift();
      if (tracked) this.#sendChange(tracked);
      else if (outcome) this.send(outcome);
    }
  }

  #retryLater(): void {
    const { clock, limits } = this.#context;
    this.#stopRetry ??= clock.after(limits.bufferedPause, () => {
      this.#stopRetry = undefined;
      this.#flush();
    });
  }

  #sendChange(tracked: Tracked): void {
    const { name, version } = tracked;
    const before = { seen: this.#seen.get(name) ?? 0, length: this.#lengths.get(name), lastSent: this.#lastSent };
    // Noted first: sending may cause the next change at once.
    this.#note(tracked);
    this.#lastSent = version;
    this.send(this.#isOurs ? updateFor(tracked, before) : whole(tracked));
  }

  #note(tracked: Tracked): void {
    const { name, value, version } = tracked;
    if (!this.#isOurs) this.#gathering.sent(tracked, this.#seen.get(name) ?? 0);
    this.#seen.set(name, version);
    if (typeof value === "string") this.#lengths.set(name, value.length);
  }

  #capabilities(resumed: boolean): Capabilities {
    const { session, values } = this.#context;
    const own = { ...(session !== undefined && { session }), resumed, seq: this.#lastSent, names: values.names };
    return {
      setAck: true,
      undefinedProperties: true,
      getterFailures: true,
      ...(this.#isOurs && { pagewire: own }),
    };
  }

  #sendEverything(): void {
    const { values, logger, maxSyncUpdateBuffer } = this.#context;
    this.#lastSent = values.version;
    for (const tracked of values) this.#note(tracked);
    this.send(this.#everything());
    const visible = new Set(this.#visible());
    for (const tracked of this.#meanwhile.slice(0, maxSyncUpdateBuffer)) {
      if (visible.has(tracked)) this.send({ ...whole(tracked), ...(this.#isOurs && { seq: this.#lastSent }) });
    }
    if (this.#meanwhile.length > maxSyncUpdateBuffer) {
      logger.warn(
        `Updates were left out while first values were read (limit maxSyncUpdateBuffer: ${maxSyncUpdateBuffer}).`,
      );
    }
  }

  #everything(): ServerMessage {
    const present = this.#visible().filter((each) => each.state === "present");
    const undefinedProperties = present.filter(({ value }) => value === undefined).map(({ name }) => name);
    const failed = this.#visible().filter((each) => each.state === "failed");
    return {
      type: "sync",
      values: Object.fromEntries(present.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))),
      ...(undefinedProperties.length > 0 && { undefinedProperties }),
      ...(failed.length > 0 && { getterFailures: failed.map(({ name }) => name) }),
      capabilities: this.#capabilities(false),
      ...(!this.#isOurs && { declarationFingerprint: fingerprintOf(this.#context.plain) }),
    };
  }
}

/** The stale property that has waited longest. */
function oldestOf(due: readonly Tracked[]): Tracked | undefined {
  return due.reduce<Tracked | undefined>((one, other) => (one && one.version < other.version ? one : other), undefined);
}

function whole({ name, value }: Tracked): Extract<ServerMessage, { type: "update" }> {
  return { type: "update", name, ...(value !== undefined && { value }) };
}
