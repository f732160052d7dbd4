import type { Clock, PortLike } from "../link/index.ts";
import type { FromParent } from "./messages.ts";
import { newToken } from "./new-token.ts";
import { createPortBatch, messagesIn } from "./port-batch.ts";
import type { PortBatch } from "./port-batch.ts";

export interface ParentPortsOptions {
  readonly clock: Clock;
  /** Sends the parent the nonce that must come back with its port. */
  offer(nonce: string): void;
  /** `isCurrent` is false for messages that a replaced port still held. */
  received(data: unknown, isCurrent: boolean): void;
  /** The current port turned out to be dead. */
  dropped(): void;
}

/** The ports offered to and given by the parent: one is in use at a time. */
export interface ParentPorts {
  readonly current: PortBatch | undefined;
  /** Offers the parent a port, unless there is a recent offer. */
  offer(): void;
  /** Adopts a port that comes with the nonce of an offer, which is then used up; returns whether it did. */
  take({ nonce, batches }: FromParent["parent_port"], port: PortLike | undefined): boolean;
  /** The parent sent outside its port: unless it gives a new port soon, it has none. */
  doubt(): void;
  /** Closes every port and cancels all offers. */
  close(): void;
}

/** How long an offer is open, and how long a replaced port may still deliver messages. */
const graceTime = 2000;
const maxOffers = 8;

export function createParentPorts({ clock, offer, received, dropped }: ParentPortsOptions): ParentPorts {
  const offers = new Set<string>();
  /** With functions that stop the timers of the replaced ones. */
  const open = new Map<PortBatch, () => void>();
  let offeredAt = -Infinity;
  let current: PortBatch | undefined;
  let stopDoubt: (() => void) | undefined;

  function end(port: PortBatch): void {
    open.get(port)?.();
    open.delete(port);
    port.close();
  }

  /** Its queued messages may still arrive. */
  function endSoon(port: PortBatch): void {
    const stopTimer = clock.after(graceTime, () => end(port));
    open.set(port, stopTimer);
  }

  function trust(): void {
    stopDoubt?.();
    stopDoubt = undefined;
  }

  return {
    get current() {
      return current;
    },
    offer() {
      if (offers.size > 0 && clock.now() - offeredAt < graceTime) return;
      offeredAt = clock.now();
      if (offers.size >= maxOffers) offers.clear();
      const nonce = newToken();
      offers.add(nonce);
      offer(nonce);
    },
    take({ nonce, batches = false }, port) {
      if (!offers.delete(nonce) || !port) {
        port?.close();
        return false;
      }
      trust();
      if (current) endSoon(current);
      const taken = (current = createPortBatch(port, batches));
      open.set(taken, () => {});
      port.addEventListener("message", ({ data }) => {
        for (const message of messagesIn(data)) if (open.has(taken)) received(message, taken === current);
      });
      port.start();
      return true;
    },
    doubt() {
      stopDoubt ??= clock.after(graceTime, () => {
        trust();
        if (current) end(current);
        current = undefined;
        dropped();
      });
    },
    close() {
      trust();
      offers.clear();
      for (const port of open.keys()) end(port);
      current = undefined;
    },
  };
}
