// The sockets of a hub: accepted, given little time to say who they are, pinged, and closed when what let them in is gone.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import type { Link } from "../../link/index.ts";
import { PagewireError, closeReason } from "../../wire/index.ts";
import type { Limits, Message, OnOver } from "../../wire/index.ts";
import { refuse } from "./closing.ts";
import { chooseProtocol, coreProtocol, windowProtocol } from "../guard/guard.ts";
import { pathOf } from "../http/exchange.ts";
import { corePath, windowPath } from "../http/routes.ts";
import type { Admitted } from "../identity/admitted.ts";
import type { Credentials } from "../guard/credentials.ts";
import type { Arrivals } from "../backpressure/arrivals.ts";
import type { QueueBudget } from "../backpressure/queue-budget.ts";
import { countArrivals } from "./socket-arrivals.ts";
import { createSocketCounts, createStrangers } from "./socket-limits.ts";
import { createServerLink } from "./socket-link.ts";
import type { ServerLink } from "./socket-link.ts";
import { createTurns } from "../backpressure/turns.ts";

/**
 * To be called when it is known who speaks on a link: the one of a socket, or a channel of it.
 * What it returns is to be called when they have left. Throws where its principal has too many sockets already.
 */
export type Known = (admitted: Admitted, link: Link) => () => void;

/** A request to become a socket, which the guard let pass. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  /** Whether its credential came with the request and is good: then nobody waits for a hello. */
  readonly isKnown: boolean;
  /** Whether what is sent in one turn of the event loop may leave together. It counts as queued until then. */
  readonly gathers: boolean;
  /** For those who do not speak the wire: tells whoever is on the link why they may not go on, and closes it. */
  readonly turnAway?: (link: Link, error: PagewireError) => void;
}

/** An accepted socket, until it closes. */
export interface Accepted {
  readonly link: ServerLink;
  /** Whether the two sides agreed that many pages speak on this link, each on a channel of its own. */
  readonly hasChannels: boolean;
  readonly known: Known;
  /** To be called with each channel. */
  expectHello(channel: Link): Newcomer;
}

/** A channel until it is known who speaks on it. */
export interface Newcomer {
  readonly known: Known;
  /** To be called at its end. */
  gone(): void;
}

export interface SocketsOptions {
  readonly limits: Limits;
  readonly queues: QueueBudget;
  readonly arrivals: Arrivals;
  readonly onOver: OnOver;
  readonly credentials: Credentials;
  /** Hears why a socket is closed that did nothing wrong at the moment. */
  readonly onRefused: (error: PagewireError) => void;
  /** The address that a request came from. */
  readonly clientOf: (request: IncomingMessage) => string;
}

export interface Sockets {
  accept(upgrade: Upgrade): Promise<Accepted>;
  /** Closes every link whose credential no longer holds. */
  review(): void;
  /** Sends a message to everybody who speaks the wire and said who they are. */
  broadcast(message: Message): void;
  /** Within how many milliseconds whoever is here is to come back, where this hub is lost: they come in turn. */
  readonly returnTime: number;
  close(): void;
}

/** How much time there is for each to come back, and for all of few, in milliseconds. */
const returnTimeOfOne = 1;
const leastReturnTime = 500;

interface Open {
  readonly link: Link;
  readonly stream: Socket;
  /** How much had come when it was last pinged; less than nothing before that. */
  bytesRead: number;
}

interface Guest {
  readonly link: Link;
  readonly turnAway: NonNullable<Upgrade["turnAway"]>;
  readonly origin: string | undefined;
  readonly admitted: Admitted;
}

/** A socket that waits for its hello. */
interface Waiting extends Pick<Guest, "link" | "turnAway" | "origin"> {
  readonly address: string;
}

/** The protocol of a socket that carries many pages. */
const channelsProtocol = "pagewire.channels.1";

/** The prefix of a channel's messages comes on top of a frame. */
const prefixRoom = 64;

export function createSockets(options: SocketsOptions): Sockets {
  const { limits, credentials, queues, arrivals, onRefused, onOver, clientOf } = options;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.frameBytes + prefixRoom,
    handleProtocols(offered, request) {
      const path = pathOf(request);
      if (path === corePath) return chooseProtocol(offered, coreProtocol);
      if (path.startsWith(windowPath)) return chooseProtocol(offered, windowProtocol);
      return offered.has(channelsProtocol) && channelsProtocol;
    },
  });
  const open = new Map<WebSocket, Open>();
  const guests = new Set<Guest>();
  const strangers = createStrangers(limits, onOver);
  const counts = createSocketCounts(limits, onOver);
  const takeTurn = createTurns();
  const pinging = setInterval(pingAll, limits.heartbeatTime);

  /**
   * Any byte is a sign of life: a peer in the middle of a long message has no room for a pong. One of which nothing is read
   * for a while cannot give any.
   */
  function pingAll(): void {
    for (const [socket, each] of open) {
      const { bytesRead } = each.stream;
      if (bytesRead === each.bytesRead && !socket.isPaused) {
        socket.terminate();
      } else {
        each.bytesRead = bytesRead;
        socket.ping();
      }
    }
  }

  function tooManySockets(count: number): PagewireError {
    onOver("socketsInAll");
    return new PagewireError(
      "sockets-too-many",
      `This hub has ${count} sockets open (limit socketsInAll). Try again later.`,
    );
  }

  function track(socket: WebSocket, { request, isKnown, gathers, turnAway = refuse }: Upgrade): Accepted {
    const { socket: stream, headers } = request;
    const { origin } = headers;
    const hasChannels = socket.protocol === channelsProtocol;
    // Of many that share a socket, the one that does not read ends by itself; what ends the socket ends all of them.
    const queuedBytes = hasChannels ? limits.sharedBytes : limits.queuedBytes;
    /** Unknown while it is not known who speaks. */
    let whose: Admitted | undefined;
    const link = createServerLink(socket, {
      queuedBytes,
      budget: queues,
      whose: () => whose,
      below: stream,
      gathers,
    });
    const address = clientOf(request);
    let stopWaiting = isKnown ? nothing : waitForHello({ link, turnAway, address, origin });
    let leave = nothing;
    open.set(socket, { link, stream, bytesRead: -1 });
    const stopCounting = countArrivals(socket, stream, {
      arrivals,
      most: limits.strangerBytes,
      whose: () => whose,
      tooMuch() {
        const message = `Who it is must be said in ${limits.strangerBytes} bytes (limit strangerBytes).`;
        end({ link, turnAway }, new PagewireError("frame-too-large", message));
        socket.terminate();
      },
    });
    socket.on("close", () => {
      open.delete(socket);
      stopWaiting();
      stopCounting();
      leave();
    });
    const known: Known = (admitted, on) => {
      // It may have been revoked since it was looked at: while the socket waited for its turn, or the keys for their server.
      if (!credentials.isStillGood(admitted, origin)) throw noLongerGood();
      if (!whose) leave = counts.enter(admitted);
      stopWaiting();
      // Kept, the function would hold its timer and more for as long as the socket lives.
      stopWaiting = nothing;
      whose = admitted;
      return welcome({ link: on, turnAway, origin, admitted });
    };
    return {
      link,
      hasChannels,
      known,
      expectHello(channel) {
        const gone = giveTime(channel, turnAway);
        return {
          gone,
          known(admitted, on) {
            gone();
            return known(admitted, on);
          },
        };
      },
    };
  }

  function waitForHello({ link, turnAway, address, origin }: Waiting): () => void {
    const stopTimer = giveTime(link, turnAway);
    const makeRoom = () => {
      stopTimer();
      const message =
        "Too many sockets wait to say who they are, and this one waited longest (limits strangerSockets and strangerSocketsInAll). Try again.";
      end({ link, turnAway }, new PagewireError("sockets-too-many", message));
    };
    const leave = strangers.add({ address, origin, makeRoom });
    return () => {
      stopTimer();
      leave();
    };
  }

  function giveTime(link: Link, turnAway: Guest["turnAway"]): () => void {
    const timer = setTimeout(() => {
      end({ link, turnAway }, new PagewireError("hello-late", "This page or agent did not say who it is in time."));
    }, limits.strangerTime);
    return () => clearTimeout(timer);
  }

  function end({ link, turnAway }: Pick<Guest, "link" | "turnAway">, error: PagewireError): void {
    if (link.open) onRefused(error);
    turnAway(link, error);
  }

  function expire(guest: Guest): void {
    end(guest, noLongerGood());
  }

  function welcome(guest: Guest): () => void {
    const { expiresAt } = guest.admitted;
    const stopExpiry = expiresAt === undefined ? nothing : at(expiresAt, () => expire(guest));
    guests.add(guest);
    return () => {
      guests.delete(guest);
      stopExpiry();
    };
  }

  return {
    accept: (upgrade) =>
      new Promise((resolve, reject) => {
        const { request, socket, head } = upgrade;
        takeTurn(() => {
          if (open.size >= limits.socketsInAll) return reject(tooManySockets(open.size));
          server.handleUpgrade(request, socket, head, (accepted) => resolve(track(accepted, upgrade)));
        });
      }),
    review() {
      for (const guest of guests) if (!credentials.isStillGood(guest.admitted, guest.origin)) expire(guest);
    },
    broadcast(message) {
      for (const { link, turnAway } of guests) if (turnAway === refuse) link.send(message);
    },
    get returnTime() {
      return Math.max(leastReturnTime, guests.size * returnTimeOfOne);
    },
    close() {
      clearInterval(pinging);
      for (const { link } of open.values()) link.close(closeReason("going-away"));
      server.close();
    },
  };
}

function noLongerGood(): PagewireError {
  return new PagewireError("token-expired", "What let this connection in does not hold any more. Connect again.");
}

const nothing = () => {};

/** Longer waits than this wrap around in Node. */
const longestTimer = 2 ** 31 - 1;

/** Runs something at a time, in milliseconds since 1970; the returned function calls it off. */
function at(time: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    const left = time - Date.now();
    timer = setTimeout(left > longestTimer ? wait : run, Math.min(left, longestTimer));
  };
  wait();
  return () => clearTimeout(timer);
}
