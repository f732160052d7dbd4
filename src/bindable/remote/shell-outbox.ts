// Sends a shell's changes over one transport, as fast as the client reads: of each property only its current value, however
// often it changed in between.
import type { Capabilities, ClientAnnouncement, ServerMessage, ServerTransport } from "./messages.ts";
import { fingerprintOf } from "./names.ts";
import { toWireError } from "./remote-error.ts";
import type { Outcome } from "./shell-commands.ts";
import type { ShellContext } from "./shell-context.ts";
import { tellChange } from "./tracked-values.ts";
import type { Tracked } from "./tracked-values.ts";

export interface ShellOutbox {
  /** Whether the client has not taken what it was sent. */
  readonly isFull: boolean;
  send(message: ServerMessage): void;
  /** Sends everything; to a client that resumes, only the values that it lacks. */
  sync(isOurs: boolean, back?: ClientAnnouncement): void;
  changed(tracked: Tracked, byEvent: boolean): void;
  answer(outcome: Outcome): void;
  close(): void;
}

export interface ShellOutboxOptions {
  readonly context: ShellContext;
  readonly transport: ServerTransport;
  /** The client has more answers to read than may wait for it. */
  readonly tooSlow: () => void;
}

export function createShellOutbox({ context, transport, tooSlow }: ShellOutboxOptions): ShellOutbox {
  const { values, limits, logger, clock, maxSyncUpdateBuffer } = context;
  const held: Outcome[] = [];
  /** Of each property the change that the client holds, and how long the texts are. */
  const seen = new Map<string, number>();
  const lengths = new Map<string, number>();
  /** Whether the client is one of Pagewire's. */
  let isOurs = false;
  let state: "new" | "reading" | "synced" | "closed" = "new";
  /** The last change that was sent, of any property. */
  let told = 0;
  /** Properties that changed by an event while initial values were read. */
  let meanwhile: Tracked[] = [];
  let stopRetry: (() => void) | undefined;

  function send(message: ServerMessage): void {
    try {
      transport.send(message);
    } catch (error) {
      logger.error(`A message could not be sent: ${toWireError(error).message}`);
    }
  }

  function isFull(): boolean {
    return (transport.bufferedAmount ?? 0) > limits.bufferedBytes;
  }

  function visible(): Tracked[] {
    return [...values].filter(({ name }) => isOurs || context.plain.properties.includes(name));
  }

  /** The stale property that has waited longest. */
  function nextDue(): Tracked | undefined {
    const due = visible().filter(({ name, version }) => version > (seen.get(name) ?? 0));
    return due.reduce<Tracked | undefined>(
      (one, other) => (one && one.version < other.version ? one : other),
      undefined,
    );
  }

  function flush(): void {
    // A client may ask for something before it asks for the values.
    while (state === "new" || state === "synced") {
      const tracked = state === "synced" ? nextDue() : undefined;
      if (!tracked && held.length === 0) return;
      if (isFull()) return retryLater();
      const outcome = tracked ? undefined : held.shift();
      if (tracked) tell(tracked);
      else if (outcome) send(outcome);
    }
  }

  function retryLater(): void {
    stopRetry ??= clock.after(limits.bufferedPause, () => {
      stopRetry = undefined;
      flush();
    });
  }

  function tell(tracked: Tracked): void {
    const { name, version } = tracked;
    const before = { seen: seen.get(name) ?? 0, length: lengths.get(name), told };
    // Noted first: what is sent may at once bring about the next change.
    note(tracked);
    told = version;
    send(isOurs ? tellChange(tracked, before) : whole(tracked));
  }

  function note({ name, value, version }: Tracked): void {
    seen.set(name, version);
    if (typeof value === "string") lengths.set(name, value.length);
  }

  function capabilities(resumed: boolean): Capabilities {
    const { session } = context;
    const pagewire = { ...(session !== undefined && { session }), resumed, seq: told, names: values.names };
    return { setAck: true, undefinedProperties: true, getterFailures: true, ...(isOurs && { pagewire }) };
  }

  function everything(): ServerMessage {
    const present = visible().filter((each) => each.state === "present");
    const undefinedProperties = present.filter(({ value }) => value === undefined).map(({ name }) => name);
    const failed = visible().filter((each) => each.state === "failed");
    return {
      type: "sync",
      values: Object.fromEntries(present.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))),
      ...(undefinedProperties.length > 0 && { undefinedProperties }),
      ...(failed.length > 0 && { getterFailures: failed.map(({ name }) => name) }),
      capabilities: capabilities(false),
      ...(!isOurs && { declarationFingerprint: fingerprintOf(context.plain) }),
    };
  }

  function tellEverything(): void {
    told = values.version;
    for (const tracked of values) note(tracked);
    send(everything());
    const shown = new Set(visible());
    for (const tracked of meanwhile.slice(0, maxSyncUpdateBuffer)) {
      if (shown.has(tracked)) send(isOurs ? { ...whole(tracked), seq: told } : whole(tracked));
    }
    if (meanwhile.length > maxSyncUpdateBuffer) {
      logger.warn(
        `Updates were left out while first values were read (limit maxSyncUpdateBuffer: ${maxSyncUpdateBuffer}).`,
      );
    }
  }

  return {
    get isFull() {
      return isFull();
    },
    send,
    sync(ours, back) {
      isOurs = ours;
      state = "reading";
      meanwhile = [];
      values.read();
      if (back) {
        for (const name of values.names) {
          const [version, length] = [back.seen?.[name], back.lengths?.[name]];
          if (typeof version === "number") seen.set(name, version);
          if (typeof length === "number") lengths.set(name, length);
        }
        send({ type: "sync", values: {}, capabilities: capabilities(true) });
      } else {
        tellEverything();
      }
      state = "synced";
      flush();
    },
    changed(tracked, byEvent) {
      if (state === "reading" && byEvent) meanwhile.push(tracked);
      flush();
    },
    answer(outcome) {
      if (state === "closed") return;
      held.push(outcome);
      flush();
      if (held.length > limits.unreadAnswers) tooSlow();
    },
    close() {
      state = "closed";
      held.length = 0;
      stopRetry?.();
    },
  };
}

function whole({ name, value }: Tracked): Extract<ServerMessage, { type: "update" }> {
  return { type: "update", name, ...(value !== undefined && { value }) };
}
