// A bus in memory, for hubs of one process. A member can be cut off, and its messages held back as by a slow broker.
import type { Bus } from "./bus.ts";

export interface MemoryBus extends Bus {
  /** Cuts the member off, or lets it back. */
  setUp(isUp: boolean): void;
  /** Keeps what the member sends and gets, until `release`: as a stopped broker does. */
  hold(): void;
  release(): void;
}

export interface MemoryBroker {
  connect(): MemoryBus;
  /** Every message that was sent, with its subject. */
  readonly sent: readonly { readonly subject: string; readonly message: Uint8Array }[];
  /** Messages that this returns true for are lost on the way to one member. */
  loses: (message: Uint8Array, subject: string) => boolean;
}

export function createMemoryBroker({ maxBytes = 1024 * 1024 } = {}): MemoryBroker {
  const subscriptions = new Set<{ readonly subject: string; readonly take: (message: Uint8Array) => void }>();
  const sent: { subject: string; message: Uint8Array }[] = [];

  function deliver(subject: string, message: Uint8Array): void {
    sent.push({ subject, message });
    for (const each of subscriptions)
      if (each.subject === subject && !broker.loses(message, subject)) each.take(message);
  }

  const broker: MemoryBroker = {
    loses: () => false,
    sent,
    connect() {
      const listeners = new Set<() => void>();
      const own = new Set<() => void>();
      let held: (() => void)[] | undefined;
      const orHeld = (run: () => void) => (held ? void held.push(run) : queueMicrotask(run));
      const bus = {
        maxBytes,
        isUp: true,
        publish(subject: string, message: Uint8Array) {
          if (message.length > maxBytes) throw new Error("The message is too long for this bus.");
          if (bus.isUp) orHeld(() => deliver(subject, message));
          return bus.isUp;
        },
        afterTurn: (run: () => void) => queueMicrotask(run),
        subscribe(subject: string, listener: (message: Uint8Array) => void) {
          const take = (message: Uint8Array) => {
            if (bus.isUp) orHeld(() => subscriptions.has(subscription) && bus.isUp && listener(message));
          };
          const subscription = { subject, take };
          const stop = () => subscriptions.delete(subscription);
          subscriptions.add(subscription);
          own.add(stop);
          return stop;
        },
        onState(listener: () => void) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        async close() {
          bus.isUp = false;
          for (const stop of own) stop();
          listeners.clear();
        },
        setUp(isUp: boolean) {
          bus.isUp = isUp;
          for (const listener of listeners) listener();
        },
        hold() {
          held ??= [];
        },
        release() {
          const waiting = held ?? [];
          held = undefined;
          for (const run of waiting) run();
        },
      };
      return bus;
    },
  };
  return broker;
}
