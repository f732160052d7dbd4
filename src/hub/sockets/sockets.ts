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
import type { Clients, Peer, Retire, TurnAway } from "./clients.ts";
import { refuse } from "./closing.ts";
import { channelsProtocol, pairCommand, selectProtocol } from "../guard/guard.ts";
import type { SharedUse } from "../common/shared-use.ts";
import { createUseCounts } from "../common/use-counts.ts";
import type { EnterShare, UseCounts } from "../common/use-counts.ts";
import type { Admitted } from "../identity/admitted.ts";
import type { Credentials } from "../guard/credentials.ts";
import type { Arrivals } from "../backpressure/arrivals.ts";
import type { QueueBudget } from "../backpressure/queue-budget.ts";
import { countArrivals } from "../backpressure/arrivals.ts";
import { createHelloWait } from "./socket-limits.ts";
import type { EndPeer, HelloWait } from "./socket-limits.ts";
import { createServerLink } from "./socket-link.ts";
import type { ServerLink } from "./socket-link.ts";
import { createTurns } from "../backpressure/turns.ts";

/**
 * Called when the client on a link, of a socket or a channel, has authenticated. Returns a function to call when it leaves.
 * Throws if its principal has too many sockets.
 */
export type Known = (admitted: Admitted, link: Link, retire?: Retire) => () => void;

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
  closed(): void;
}

export interface SocketsOptions {
  readonly limits: Limits;
  readonly queues: QueueBudget;
  readonly arrivals: Arrivals;
  readonly onOver: OnOver;
  readonly credentials: Credentials;
  /** For a hub that is one of several. */
  readonly use: SharedUse | undefined;
  /** In team mode: counts a socket of a principal's organisation. */
  readonly enterShare: EnterShare | undefined;
  /** Called with the reason when the hub closes a socket without a protocol error. */
  readonly onRefused: (error: PagewireError) => void;
  /** The client's address. */
  readonly clientOf: (request: IncomingMessage) => string;
}

const returnTimePerClient = 1;
const minReturnTime = 500;
/** A load balancer needs this time to see that a hub is stopping. */
const minMoveTime = 3000;

interface OpenSocket {
  readonly link: Link;
  readonly stream: Socket;
  /** The bytes received at the last ping; -1 before the first. */
  bytesRead: number;
}

/** A channel's prefix comes on top of a frame. */
const channelPrefixBytes = 64;

export function createSockets(options: SocketsOptions): Sockets {
  return new Sockets(options);
}

export class Sockets {
  readonly #options: SocketsOptions;
  readonly #server: WebSocketServer;
  readonly #open = new Map<WebSocket, OpenSocket>();
  readonly #clients: Clients;
  readonly #hellos: HelloWait;
  readonly #counts: UseCounts;
  readonly #takeTurn = createTurns();
  readonly #pinging: NodeJS.Timeout;

  constructor(options: SocketsOptions) {
    const { limits, credentials, onOver, use, enterShare } = options;
    this.#options = options;
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: limits.frameBytes + channelPrefixBytes,
      handleProtocols: selectProtocol,
    });
    const end: EndPeer = (peer, error) => this.#end(peer, error);
    this.#clients = createClients(credentials, (client, error) =>
      this.#end(client, error, client.admitted.browser === undefined ? undefined : pairCommand(error.code)),
    );
    this.#hellos = createHelloWait(limits, onOver, end);
    this.#counts = createUseCounts({
      ...{ name: "socketsPerPrincipal", limits, onOver, use, refusal: tooManyOfOne },
      share: enterShare && ((principal) => enterShare(principal, "sockets")),
    });
    this.#pinging = setInterval(() => pingAll(this.#open), limits.heartbeatTime);
  }

  accept(upgrade: Upgrade): Promise<Accepted> {
    const { limits, onOver } = this.#options;
    return new Promise((resolve, reject) => {
      const { request, socket, head } = upgrade;
      this.#takeTurn(() => {
        if (this.#open.size >= limits.socketsInAll) {
          onOver("socketsInAll");
          return reject(tooManySockets(this.#open.size));
        }
        this.#server.handleUpgrade(request, socket, head, (accepted) => resolve(this.#track(accepted, upgrade)));
      });
    });
  }

  /** Closes every link whose credential is no longer valid. */
  review(): void {
    this.#clients.review();
  }

  /** Sends a message to every authenticated client that speaks the wire protocol. */
  broadcast(message: Message): void {
    this.#clients.broadcast(message);
  }

  /** Sends pages and agents to another hub. */
  moveAway(): Promise<void> {
    return this.#clients.moveAway(Math.max(minMoveTime, this.#clients.size * returnTimePerClient));
  }

  /** The window, in milliseconds, over which clients should spread their reconnects if this hub is lost. */
  get returnTime(): number {
    return Math.max(minReturnTime, this.#clients.size * returnTimePerClient);
  }

  close(): void {
    clearInterval(this.#pinging);
    for (const { link } of this.#open.values()) link.close(closeReason("going-away"));
    this.#server.close();
  }

  #end({ link, turnAway }: Peer, error: PagewireError, command?: string): void {
    if (link.open) this.#options.onRefused(error);
    turnAway(link, error, command);
  }

  #track(socket: WebSocket, { request, isKnown, gathers, turnAway = refuse }: Upgrade): Accepted {
    const { limits, queues, arrivals, clientOf } = this.#options;
    const { socket: stream, headers } = request;
    const { origin } = headers;
    const hasChannels = socket.protocol === channelsProtocol;
    /** Undefined until the client has authenticated. */
    let admitted: Admitted | undefined;
    const link = createServerLink(socket, {
      // A slow page on a shared socket loses only its channel; this limit ends the socket, with all its pages.
      queuedBytes: hasChannels ? limits.sharedBytes : limits.queuedBytes,
      budget: queues,
      whose: () => admitted,
      below: stream,
      gathers,
    });
    const address = clientOf(request);
    let stopWaiting = isKnown ? nothing : this.#hellos.wait({ link, turnAway, address, origin });
    let leave = nothing;
    this.#open.set(socket, { link, stream, bytesRead: -1 });
    const stopCounting = countArrivals(socket, stream, {
      arrivals,
      max: limits.strangerBytes,
      whose: () => admitted,
      tooMuch: () => {
        const message = `Who it is must be said in ${limits.strangerBytes} bytes (limit strangerBytes).`;
        this.#end({ link, turnAway }, new PagewireError("frame-too-large", message));
        socket.terminate();
      },
    });
    socket.on("close", () => {
      this.#open.delete(socket);
      stopWaiting();
      stopCounting();
      leave();
    });
    const known: Known = (client, on, retire) => {
      // The credential may have been revoked while the socket waited for its turn, or for the key server.
      this.#clients.check({ admitted: client, origin });
      if (!admitted) leave = this.#counts.enter(client);
      stopWaiting();
      // Releases the closure, which would keep its timer in memory for the socket's lifetime.
      stopWaiting = nothing;
      admitted = client;
      return this.#clients.add({ link: on, carrier: link, turnAway, origin, admitted, retire });
    };
    return { link, hasChannels, known, expectHello: (channel) => this.#expectHello(channel, turnAway, known) };
  }

  #expectHello(channel: Link, turnAway: TurnAway, known: Known): PendingChannel {
    const cancelTimeout = this.#hellos.expect({ link: channel, turnAway });
    return {
      closed: cancelTimeout,
      known(admitted, link, retire) {
        cancelTimeout();
        return known(admitted, link, retire);
      },
    };
  }
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

function tooManyOfOne(max: number): PagewireError {
  const message = `${max} sockets of one user are open already (limit socketsPerPrincipal). Close some of them.`;
  return new PagewireError("sockets-too-many", message);
}

const nothing = () => {};
