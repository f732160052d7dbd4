// A hand-written peer of the hub: it sends what the test wants, and stores everything that it receives.
import { once } from "node:events";
import { WebSocket } from "ws";
import { createSocketLink } from "../../link/index.ts";
import type { Link } from "../../link/index.ts";
import { closeNameOf, defaultLimits, encodeFrame, parseFrame, textOf } from "../../wire/index.ts";
import type { CloseReason, FrameIn, FrameTable } from "../../wire/index.ts";

export interface Received<Frame> {
  readonly frame: Frame;
  readonly payload: string;
}

type OfType<Table extends FrameTable, Type> = Extract<FrameIn<Table>, { readonly type: Type }>;

export interface Peer<Table extends FrameTable> {
  readonly socket: WebSocket;
  readonly link: Link;
  readonly received: readonly Received<FrameIn<Table>>[];
  readonly closed: Promise<CloseReason>;
  /** The name of the close code that the hub used. */
  closeName(): Promise<string | undefined>;
  send(frame: { readonly type: string; readonly [field: string]: unknown }, payload?: string): void;
  /** The first frame of a type that was not returned yet; waits for it, and fails if the link ends first. */
  next<Type extends FrameIn<Table>["type"]>(type: Type): Promise<Received<OfType<Table, Type>>>;
  /** The hub's answer to a hello: "welcome", or the code of the refusal. */
  verdict(): Promise<string>;
  /** Resolves when the hub has processed everything that was sent to it. */
  settled(): Promise<void>;
}

/** The origin whose pages are allowed in the tests' hubs. */
export const shop = "https://shop.example";

const sockets = new Set<WebSocket>();

/** An open socket, and the link over it, which is not started. */
export interface Opened {
  readonly socket: WebSocket;
  readonly link: Link;
}

/** Opens a socket to a hub; rejects if the hub refuses the upgrade. */
export async function openSocket(
  url: string,
  { protocols = [], ...how }: { protocols?: string[]; headers?: Record<string, string>; ca?: string } = {},
): Promise<Opened> {
  const socket = new WebSocket(url.replace(/^http/, "ws"), protocols, { ...how, perMessageDeflate: false });
  sockets.add(socket);
  const link = createSocketLink(socket);
  await once(socket, "open");
  return { socket, link };
}

/** Closes every socket that a test has opened. */
export function closeSockets(): void {
  for (const socket of sockets) socket.terminate();
  sockets.clear();
}

export interface PeerOptions<Table extends FrameTable> extends Opened {
  readonly onFrame?: (received: Received<FrameIn<Table>>) => void;
}

/** Makes a peer of a socket, or of a channel over it. */
export function playPeer<Table extends FrameTable>(
  table: Table,
  { socket, link, onFrame }: PeerOptions<Table>,
): Peer<Table> {
  const received: Received<FrameIn<Table>>[] = [];
  const taken = new Set<Received<FrameIn<Table>>>();
  const listeners = new Set<() => void>();
  let ended: CloseReason | undefined;
  const tellAll = () => {
    for (const listener of listeners) listener();
  };
  const closed = new Promise<CloseReason>((resolve) => {
    link.start({
      message(message) {
        const parsed = parseFrame(table, message, defaultLimits);
        if (parsed.kind !== "frame") throw new Error(`The hub sent what is no frame: ${textOf(message).slice(0, 200)}`);
        const one = { frame: parsed.frame, payload: textOf(parsed.payload) };
        received.push(one);
        onFrame?.(one);
        tellAll();
      },
      closed(reason) {
        ended = reason;
        resolve(reason);
        tellAll();
      },
    });
  });

  /** The first frame of one of these types that was not returned yet. */
  const take = (...types: readonly string[]): Promise<Received<FrameIn<Table>>> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = received.find((one) => types.includes(one.frame.type) && !taken.has(one));
        if (!found && !ended) return;
        listeners.delete(look);
        if (!found) return reject(new Error(`No ${types.join()} frame came; the link ended: ${JSON.stringify(ended)}`));
        taken.add(found);
        resolve(found);
      };
      listeners.add(look);
      look();
    });

  return {
    socket,
    link,
    received,
    closed,
    next: async (type) => (await take(type)) as Received<OfType<Table, typeof type>>,
    async verdict() {
      const { frame } = await take("welcome", "refused");
      return "code" in frame ? String(frame.code) : "welcome";
    },
    closeName: async () => closeNameOf((await closed).code),
    send: (frame, payload) => link.send(encodeFrame(frame, payload)),
    async settled() {
      socket.ping();
      await Promise.race([new Promise((resolve) => socket.once("pong", resolve)), closed]);
    },
  };
}
