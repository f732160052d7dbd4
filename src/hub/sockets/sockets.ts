// The WebSockets of a hub: accepts them, limits the time and bytes before they authenticate, pings them, and closes them when
// their credential ends.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import type { Link } from "../../link/index.ts";
import { PagewireError, closeReason } from "../../wire/index.ts";
import type { Limits, Message, OnOver } from "../../wire/index.ts";
import { createClients } from "./clients.ts";
import type { Client, TurnAway } from "./clients.ts";
import { refuse } from "./closing.ts";
import { chooseProtocol, coreProtocol, windowProtocol } from "../guard/guard.ts";
import { pathOf } from "../http/exchange.ts";
import { corePath, windowPath } from "../http/routes.ts";
import type { Admitted } from "../identity/admitted.ts";
import type { Credentials } from "../guard/credentials.ts";
import type { Arrivals } from "../backpressure/arrivals.ts";
import type { QueueBudget } from "../backpressure/queue-budget.ts";
import { countArrivals } from "./socket-arrivals.ts";
import { createSocketCounts, createAnonymousSockets } from "./socket-limits.ts";
import { createServerLink } from "./socket-link.ts";
import type { ServerLink } from "./socket-link.ts";
import { createTurns } from "../backpressure/turns.ts";

/**
 * Called when the client on a link, of a socket or a channel, has authenticated. Returns a function to call when it leaves.
 * Throws if its principal has too many sockets.
 */
export type Known = (admitted: Admitted, link: Link) => () => void;

/** An upgrade request that passed the guard. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  /** Whether the request had a valid credential, so that no hello is awaited. */
  readonly isKnown: boolean;
  /** Whether messages of one turn of the event loop may be sent together. They count as queued until then. */
  readonly gathers: boolean;
  /** For clients that do not speak the wire protocol. */
  readonly turnAway?: TurnAway;
}

/** An accepted socket, until it closes. */
export interface Accepted {
  readonly link: ServerLink;
  /** Whether the link carries many pages, each on a channel of its own. */
  readonly hasChannels: boolean;
  readonly known: Known;
  /** Starts the hello timeout of a channel. */
  expectHello(channel: Link): PendingChannel;
}

/** A channel whose page has not authenticated. */
export interface PendingChannel {
  readonly known: Known;
  /** To be called when the channel closes. */
  gone(): void;
}

export interface SocketsOptions {
  readonly limits: Limits;
  readonly queues: QueueBudget;
  readonly arrivals: Arrivals;
  readonly onOver: OnOver;
  readonly credentials: Credentials;
  /** Called with the reason when the hub closes a socket without a protocol error. */
  readonly onRefused: (error: PagewireError) => void;
  /** The client's address. */
  readonly clientOf: (request: IncomingMessage) => string;
}

export interface Sockets {
  accept(upgrade: Upgrade): Promise<Accepted>;
  /** Closes every link whose credential is no longer valid. */
  review(): void;
  /** Sends a message to every authenticated client that speaks the wire protocol. */
  broadcast(message: Message): void;
  /** The window, in milliseconds, over which clients should spread their reconnects if this hub is lost. */
  readonly returnTime: number;
  close(): void;
}

const returnTimePerClient = 1;
const minReturnTime = 500;

interface OpenSocket {
  readonly link: Link;
  readonly stream: Socket;
  /** The bytes received at the last ping; -1 before the first. */
  bytesRead: number;
}

/** A socket that waits for its hello. */
interface Pending extends Pick<Client, "link" | "turnAway" | "origin"> {
  readonly address: string;
}

/** The subprotocol of a socket that carries many pages. */
const channelsProtocol = "pagewire.channels.1";

/** A channel's prefix comes on top of a frame. */
const channelPrefixBytes = 64;

export function createSockets(options: SocketsOptions): Sockets {
  const { limits, credentials, queues, arrivals, onRefused, onOver, clientOf } = options;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.frameBytes + channelPrefixBytes,
    handleProtocols: selectProtocol,
  });
  const open = new Map<WebSocket, OpenSocket>();
  const clients = createClients(credentials, end);
  const anonymous = createAnonymousSockets(limits, onOver);
  const counts = createSocketCounts(limits, onOver);
  const takeTurn = createTurns();
  const pinging = setInterval(() => pingAll(open), limits.heartbeatTime);

  function end({ link, turnAway }: Pick<Client, "link" | "turnAway">, error: PagewireError): void {
    if (link.open) onRefused(error);
    turnAway(link, error);
  }

  function startHelloTimeout(link: Link, turnAway: TurnAway): () => void {
    const timer = setTimeout(() => {
      end({ link, turnAway }, new PagewireError("hello-late", "This page or agent did not say who it is in time."));
    }, limits.strangerTime);
    return () => clearTimeout(timer);
  }

  function waitForHello({ link, turnAway, address, origin }: Pending): () => void {
    const cancelTimeout = startHelloTimeout(link, turnAway);
    const makeRoom = () => {
      cancelTimeout();
      const message =
        "Too many sockets wait to say who they are, and this one waited longest (limits strangerSockets and strangerSocketsInAll). Try again.";
      end({ link, turnAway }, new PagewireError("sockets-too-many", message));
    };
    const leave = anonymous.add({ address, origin, makeRoom });
    return () => {
      cancelTimeout();
      leave();
    };
  }

  function track(socket: WebSocket, { request, isKnown, gathers, turnAway = refuse }: Upgrade): Accepted {
    const { socket: stream, headers } = request;
    const { origin } = headers;
    const hasChannels = socket.protocol === channelsProtocol;
    // A slow page on a shared socket loses only its channel; this limit ends the socket, with all its pages.
    const queuedBytes = hasChannels ? limits.sharedBytes : limits.queuedBytes;
    /** Undefined until the client has authenticated. */
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
      // The credential may have been revoked while the socket waited for its turn, or for the key server.
      clients.check({ admitted, origin });
      if (!whose) leave = counts.enter(admitted);
      stopWaiting();
      // Releases the closure, which would keep its timer in memory for the socket's lifetime.
      stopWaiting = nothing;
      whose = admitted;
      return clients.add({ link: on, turnAway, origin, admitted });
    };
    return {
      link,
      hasChannels,
      known,
      expectHello(channel) {
        const gone = startHelloTimeout(channel, turnAway);
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

  return {
    accept: (upgrade) =>
      new Promise((resolve, reject) => {
        const { request, socket, head } = upgrade;
        takeTurn(() => {
          if (open.size >= limits.socketsInAll) {
            onOver("socketsInAll");
            return reject(tooManySockets(open.size));
          }
          server.handleUpgrade(request, socket, head, (accepted) => resolve(track(accepted, upgrade)));
        });
      }),
    review: clients.review,
    broadcast: clients.broadcast,
    get returnTime() {
      return Math.max(minReturnTime, clients.size * returnTimePerClient);
    },
    close() {
      clearInterval(pinging);
      for (const { link } of open.values()) link.close(closeReason("going-away"));
      server.close();
    },
  };
}

function selectProtocol(offered: Set<string>, request: IncomingMessage): string | false {
  const path = pathOf(request);
  if (path === corePath) return chooseProtocol(offered, coreProtocol);
  if (path.startsWith(windowPath)) return chooseProtocol(offered, windowProtocol);
  return offered.has(channelsProtocol) && channelsProtocol;
}

/**
 * Terminates sockets that sent nothing since the last ping. Any byte counts, since a peer in the middle of a long message
 * cannot send a pong; a paused socket is not read at all.
 */
function pingAll(open: ReadonlyMap<WebSocket, OpenSocket>): void {
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
  return new PagewireError(
    "sockets-too-many",
    `This hub has ${count} sockets open (limit socketsInAll). Try again later.`,
  );
}

const nothing = () => {};
