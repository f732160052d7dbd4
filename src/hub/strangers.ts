import type { Limits, OnOver } from "../wire/index.ts";

/** A socket of which it is not known yet who speaks on it. */
export interface Stranger {
  readonly address: string;
  readonly origin: string | undefined;
  /** Ends it: others need its place. */
  makeRoom(): void;
}

export interface Strangers {
  /** Returns a function that takes it away again, and that can be called twice. */
  add(stranger: Stranger): () => void;
}

/**
 * Bounds how many strangers there are: from one address and origin, and in all. The newest always comes in and the oldest
 * makes room: an honest page says who it is at once, so a flood from its own address cannot keep it out.
 */
export function createStrangers(
  limits: Pick<Limits, "strangerSockets" | "strangerSocketsInAll">,
  onOver: OnOver = () => {},
): Strangers {
  const byAddress = new Map<string, Set<Stranger>>();
  let size = 0;

  function remove(stranger: Stranger): void {
    const there = byAddress.get(stranger.address);
    if (!there?.delete(stranger)) return;
    size--;
    if (there.size === 0) byAddress.delete(stranger.address);
  }

  function oldestInTheWay({ address, origin }: Stranger): Stranger | undefined {
    const alike = [...(byAddress.get(address) ?? [])].filter((other) => other.origin === origin);
    if (alike.length >= limits.strangerSockets) return alike[0];
    if (size < limits.strangerSocketsInAll) return undefined;
    onOver("strangerSocketsInAll");
    const [busiest = []] = [...byAddress.values()].sort((one, other) => other.size - one.size);
    return [...busiest][0];
  }

  return {
    add(stranger) {
      const oldest = oldestInTheWay(stranger);
      if (oldest) {
        remove(oldest);
        oldest.makeRoom();
      }
      const there = byAddress.get(stranger.address) ?? new Set();
      byAddress.set(stranger.address, there.add(stranger));
      size++;
      return () => remove(stranger);
    },
  };
}
