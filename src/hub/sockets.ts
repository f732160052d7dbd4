// The sockets of a hub: accepted, given little time to say who they are, pinged, and closed when what let them in is gone.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import type { Link } from "../link/index.ts";
import { PagewireError, closeReason } from "../wire/index.ts";
import type { Limits } from "../wire/index.ts";
import { refuse } from "./closing.ts";
import type { Admitted, Credentials } from "./guard/credentials.ts";
import { createServerLink } from "./socket-link.ts";

/** An accepted socket, until it closes. */
export interface Accepted {
  readonly link: Link;
  /** To be called when the socket has said who it is; a link with channels may say so more than once. */
  known(admitted: Admitted): void;
}

export interface Sockets {
  /** Completes an upgrade that the guard let pass. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<Accepted>;
  /** Closes every socket whose credential no longer holds. */
  review(): void;
  /** Sends a message over every socket that said who it is. */
  broadcast(message: string): void;
  close(): void;
}

interface Open {
  readonly socket: WebSocket;
  readonly link: Link;
  readonly origin: string | undefined;
  readonly admitted: Admitted[];
  answersPings: boolean;
  stopWaiting: () => void;
  stopExpiry: () => void;
}

export function createSockets(limits: Limits, credentials: Credentials): Sockets {
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: limits.frameBytes });
  const open = new Set<Open>();
  let strangers = 0;
  const pinging = setInterval(pingAll, limits.heartbeatTime);

  function pingAll(): void {
    for (const each of open) {
      if (!each.answersPings) {
        each.socket.terminate();
      } else {
        each.answersPings = false;
        each.socket.ping();
      }
    }
  }

  function track(socket: WebSocket, origin: string | undefined): Accepted {
    const each: Open = {
      socket,
      link: createServerLink(socket, limits),
      origin,
      admitted: [],
      answersPings: true,
      stopWaiting: waitForHello(() => each.link),
      stopExpiry: () => {},
    };
    open.add(each);
    const alive = () => {
      each.answersPings = true;
    };
    socket.on("pong", alive);
    socket.on("message", alive);
    socket.on("close", () => {
      open.delete(each);
      each.stopWaiting();
      each.stopExpiry();
    });
    return {
      link: each.link,
      known(admitted) {
        each.stopWaiting();
        each.admitted.push(admitted);
        if (admitted.expiresAt !== undefined) expireAt(each, admitted.expiresAt);
      },
    };
  }

  function waitForHello(linkOf: () => Link): () => void {
    strangers++;
    let waits = true;
    const timer = setTimeout(() => {
      refuse(linkOf(), new PagewireError("hello-late", "The socket did not say who it is in time."));
    }, limits.strangerTime);
    return () => {
      clearTimeout(timer);
      if (waits) strangers--;
      waits = false;
    };
  }

  function expireAt(each: Open, time: number): void {
    each.stopExpiry();
    const timer = setTimeout(() => expire(each.link), Math.min(time - Date.now(), longestTimer));
    each.stopExpiry = () => clearTimeout(timer);
  }

  return {
    async accept(request, socket, head) {
      if (strangers >= limits.strangerSockets) {
        throw new PagewireError(
          "sockets-too-many",
          "Too many sockets wait to say who they are. Try again in a few seconds.",
        );
      }
      return new Promise((resolve) => {
        server.handleUpgrade(request, socket, head, (accepted) => resolve(track(accepted, request.headers.origin)));
      });
    },
    review() {
      for (const { link, admitted, origin } of open) {
        if (admitted.some((one) => !credentials.isStillGood(one, origin))) expire(link);
      }
    },
    broadcast(message) {
      for (const { link, admitted } of open) if (admitted.length > 0) link.send(message);
    },
    close() {
      clearInterval(pinging);
      for (const { link, socket } of open) {
        link.close(closeReason("going-away"));
        setTimeout(() => socket.terminate(), closeTime).unref();
      }
      server.close();
    },
  };
}

/** Longer waits than this wrap around in Node. */
const longestTimer = 2 ** 31 - 1;
/** How long a peer may take to answer a close. */
const closeTime = 1000;

function expire(link: Link): void {
  refuse(
    link,
    new PagewireError("token-expired", "What let this connection in does not hold any more. Connect again."),
  );
}
