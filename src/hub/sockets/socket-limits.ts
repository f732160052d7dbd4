import { PagewireError } from "../../wire/index.ts";
import type { Limits, OnOver } from "../../wire/index.ts";
import type { Admitted } from "../identity/admitted.ts";

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
  /** Those of one address and origin. Each comes and goes in a time that does not grow with how many there are. */
  const alike = new Map<string, Set<Stranger>>();
  let size = 0;

  function remove(stranger: Stranger): void {
    const { address } = stranger;
    if (!removeFrom(byAddress, address, stranger)) return;
    removeFrom(alike, kindOf(stranger), stranger);
    size--;
  }

  function oldestInTheWay(stranger: Stranger): Stranger | undefined {
    const others = alike.get(kindOf(stranger));
    if (others && others.size >= limits.strangerSockets) return firstOf(others);
    if (size < limits.strangerSocketsInAll) return undefined;
    onOver("strangerSocketsInAll");
    let busiest = new Set<Stranger>();
    for (const there of byAddress.values()) if (there.size > busiest.size) busiest = there;
    return firstOf(busiest);
  }

  return {
    add(stranger) {
      const oldest = oldestInTheWay(stranger);
      if (oldest) {
        remove(oldest);
        oldest.makeRoom();
      }
      addTo(byAddress, stranger.address, stranger);
      addTo(alike, kindOf(stranger), stranger);
      size++;
      return () => remove(stranger);
    },
  };
}

function kindOf({ address, origin = "" }: Stranger): string {
  return `${address} ${origin}`;
}

function firstOf(strangers: ReadonlySet<Stranger>): Stranger | undefined {
  const [first] = strangers;
  return first;
}

function addTo(groups: Map<string, Set<Stranger>>, key: string, stranger: Stranger): void {
  const group = groups.get(key);
  if (group) group.add(stranger);
  else groups.set(key, new Set([stranger]));
}

/** Whether it was there. */
function removeFrom(groups: Map<string, Set<Stranger>>, key: string, stranger: Stranger): boolean {
  const group = groups.get(key);
  if (!group?.delete(stranger)) return false;
  if (group.size === 0) groups.delete(key);
  return true;
}

/** How many sockets each principal has. */
interface SocketCounts {
  /** One more; throws where there are too many. What it returns takes it away again. */
  enter(admitted: Admitted): () => void;
}

export function createSocketCounts(limits: Pick<Limits, "socketsPerPrincipal">, onOver: OnOver): SocketCounts {
  const counts = new Map<string, number>();
  return {
    enter({ principal, allowed }) {
      const count = counts.get(principal) ?? 0;
      const most = allowed?.socketsPerPrincipal ?? limits.socketsPerPrincipal;
      if (count >= most) {
        onOver("socketsPerPrincipal");
        const message = `${most} sockets of one user are open already (limit socketsPerPrincipal). Close some of them.`;
        throw new PagewireError("sockets-too-many", message);
      }
      counts.set(principal, count + 1);
      return () => {
        const left = (counts.get(principal) ?? 1) - 1;
        if (left > 0) counts.set(principal, left);
        else counts.delete(principal);
      };
    },
  };
}
