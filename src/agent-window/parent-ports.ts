import type { Clock, PortLike } from "../link/index.ts";
import { newToken } from "./new-token.ts";

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
  readonly current: PortLike | undefined;
  /** Offers the parent a port, unless it was offered one just now. */
  offer(): void;
  /** Takes a port into use that comes with the nonce of an offer, which is used up; says whether it does. */
  take(nonce: string, port: PortLike | undefined): boolean;
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
  const open = new Map<PortLike, () => void>();
  let offeredAt = -Infinity;
  let current: PortLike | undefined;
  let stopDoubt: (() => void) | undefined;

  function end(port: PortLike): void {
    open.get(port)?.();
    open.delete(port);
    port.close();
  }

  /** What it holds may still come. */
  function endSoon(port: PortLike): void {
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
    take(nonce, port) {
      if (!offers.delete(nonce) || !port) {
        port?.close();
        return false;
      }
      trust();
      if (current) endSoon(current);
      current = port;
      open.set(port, () => {});
      port.addEventListener("message", ({ data }) => open.has(port) && heard(data, port === current));
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
