import type { Clock, PortLike } from "../link/index.ts";
import type { FromParent } from "./messages.ts";
import { newToken } from "./new-token.ts";
import { createPortBatch, messagesIn } from "./port-batch.ts";
import type { PortBatch } from "./port-batch.ts";

export interface ParentPortsOptions {
  readonly clock: Clock;
  /** Sends the parent the nonce that it must bring its port with. */
  offer(nonce: string): void;
  /** `isCurrent` is false for what a port that was replaced still held. */
  heard(data: unknown, isCurrent: boolean): void;
  /** The port in use turned out to be dead. */
  dropped(): void;
}

/** The ports that the parent was offered and gave: one is in use at a time. */
export interface ParentPorts {
  readonly current: PortBatch | undefined;
  /** Offers the parent a port, unless it was offered one just now. */
  offer(): void;
  /** Takes a port into use that comes with the nonce of an offer, which is used up; says whether it does. */
  take({ nonce, batches }: FromParent["parent_port"], port: PortLike | undefined): boolean;
  /** The parent spoke beside its port: unless it brings a new one soon, it has none. */
  doubt(): void;
  /** Closes every port; no offer holds any more. */
  close(): void;
}

/** How long an answer to an offer is waited for; how long a port that was replaced may still bring what it held. */
const patience = 2000;
const mostOffers = 8;

export function createParentPorts({ clock, offer, heard, dropped }: ParentPortsOptions): ParentPorts {
  const offers = new Set<string>();
  /** With what stops the timers of those that were replaced. */
  const open = new Map<PortBatch, () => void>();
  let offeredAt = -Infinity;
  let current: PortBatch | undefined;
  let stopDoubt: (() => void) | undefined;

  function end(port: PortBatch): void {
    open.get(port)?.();
    open.delete(port);
    port.close();
  }

  /** What it holds may still come. */
  function endSoon(port: PortBatch): void {
    const stopTimer = clock.after(patience, () => end(port));
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
      if (offers.size > 0 && clock.now() - offeredAt < patience) return;
      offeredAt = clock.now();
      if (offers.size >= mostOffers) offers.clear();
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
        for (const message of messagesIn(data)) if (open.has(taken)) heard(message, taken === current);
      });
      port.start();
      return true;
    },
    doubt() {
      stopDoubt ??= clock.after(patience, () => {
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
