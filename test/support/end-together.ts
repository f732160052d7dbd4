import type { Socket } from "node:net";

/**
 * For the two connections of a relay: when one ends or breaks, the other ends once it has sent what it has. A relay that kept
 * it would hold a peer for as long as that peer waits.
 */
export function endTogether(one: Socket, other: Socket): void {
  for (const [ended, left] of [
    [one, other],
    [other, one],
  ] as const) {
    // The close that follows ends the other.
    ended.on("error", () => {});
    ended.on("close", () => left.destroySoon());
  }
}
