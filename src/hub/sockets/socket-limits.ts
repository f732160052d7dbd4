import { PagewireError } from "../../wire/index.ts";
import type { Limits, OnOver } from "../../wire/index.ts";
import type { Peer } from "./clients.ts";

/** A socket whose client has not authenticated. */
export interface AnonymousSocket {
  readonly address: string;
  readonly origin: string | undefined;
  /** Closes it, to make room for another. */
  makeRoom(): void;
}

export interface AnonymousSockets {
  /** Returns a function that removes it, and can be called twice. */
  add(socket: AnonymousSocket): () => void;
}

/**
 * Limits anonymous sockets, per address and origin and in all. The newest is always accepted and the oldest is closed: an
 * honest page authenticates at once, so a flood from its own address cannot lock it out.
 */
export function createAnonymousSockets(
  limits: Pick<Limits, "strangerSockets" | "strangerSocketsInAll">,
  onOver: OnOver = () => {},
): AnonymousSockets {
  const byAddress = new Map<string, Set<AnonymousSocket>>();
  /** By address and origin, so that adding and removing take constant time. */
  const alike = new Map<string, Set<AnonymousSocket>>();
  let size = 0;

  function remove(socket: AnonymousSocket): void {
    const { address } = socket;
    if (!removeFrom(byAddress, address, socket)) return;
    removeFrom(alike, kindOf(socket), socket);
    size--;
  }

  function oldestToClose(socket: AnonymousSocket): AnonymousSocket | undefined {
    const others = alike.get(kindOf(socket));
    if (others && others.size >= limits.strangerSockets) return firstOf(others);
    if (size < limits.strangerSocketsInAll) return undefined;
    onOver("strangerSocketsInAll");
    let busiest = new Set<AnonymousSocket>();
    for (const there of byAddress.values()) if (there.size > busiest.size) busiest = there;
    return firstOf(busiest);
  }

  return {
    add(socket) {
      const oldest = oldestToClose(socket);
      if (oldest) {
        remove(oldest);
        oldest.makeRoom();
      }
      addTo(byAddress, socket.address, socket);
      addTo(alike, kindOf(socket), socket);
      size++;
      return () => remove(socket);
    },
  };
}

function kindOf({ address, origin = "" }: AnonymousSocket): string {
  return `${address} ${origin}`;
}

function firstOf(sockets: ReadonlySet<AnonymousSocket>): AnonymousSocket | undefined {
  const [first] = sockets;
  return first;
}

function addTo(groups: Map<string, Set<AnonymousSocket>>, key: string, socket: AnonymousSocket): void {
  const group = groups.get(key);
  if (group) group.add(socket);
  else groups.set(key, new Set([socket]));
}

/** Returns whether it was in its group. */
function removeFrom(groups: Map<string, Set<AnonymousSocket>>, key: string, socket: AnonymousSocket): boolean {
  const group = groups.get(key);
  if (!group?.delete(socket)) return false;
  if (group.size === 0) groups.delete(key);
  return true;
}

/** Ends a peer with the reason. */
export type EndPeer = (peer: Peer, error: PagewireError) => void;

/** A socket that waits for its hello. */
interface PendingSocket extends Peer, Pick<AnonymousSocket, "address" | "origin"> {}

/** The time that peers have for their hello. Each function returns another that cancels it. */
export interface HelloWait {
  expect(peer: Peer): () => void;
  /** The same for a socket, which counts as anonymous until then. */
  wait(socket: PendingSocket): () => void;
}

export function createHelloWait(
  limits: Pick<Limits, "strangerSockets" | "strangerSocketsInAll" | "strangerTime">,
  onOver: OnOver,
  end: EndPeer,
): HelloWait {
  const anonymous = createAnonymousSockets(limits, onOver);

  function expect(peer: Peer): () => void {
    const timer = setTimeout(
      () => end(peer, new PagewireError("hello-late", "This page or agent did not say who it is in time.")),
      limits.strangerTime,
    );
    return () => clearTimeout(timer);
  }

  return {
    expect,
    wait(socket) {
      const { address, origin } = socket;
      const cancelTimeout = expect(socket);
      const makeRoom = () => {
        cancelTimeout();
        const message =
          "Too many sockets wait to say who they are, and this one waited longest (limits strangerSockets and strangerSocketsInAll). Try again.";
        end(socket, new PagewireError("sockets-too-many", message));
      };
      const leave = anonymous.add({ address, origin, makeRoom });
      return () => {
        cancelTimeout();
        leave();
      };
    },
  };
}
