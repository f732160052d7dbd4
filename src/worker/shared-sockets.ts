// A worker's sockets: one for each hub, with a channel for every link. An error or overflow of one link closes only
// that link.
import { createChannels } from "../link/index.ts";
import type { Channels, Link } from "../link/index.ts";
import { linkCloseCodes, linkCloseReason, switchboardLimits } from "../wire/index.ts";
import type { CloseReason, SwitchboardLimits, Message } from "../wire/index.ts";

export interface SharedSocketsOptions {
  /** Opens a socket for channels. It must not close itself when its peer is slow: each channel has its own limit. */
  readonly connect: (url: string) => Promise<Link>;
  /** Called when an address becomes reachable again. */
  readonly onReached?: (url: string) => void;
  readonly limits?: Pick<SwitchboardLimits, "channelsPerLink" | "frameBytes" | "queuedBytes" | "sharedBytes">;
}

export interface SharedSockets {
  /** Forwards a link to this address; rejects if that fails, and calls `ended` when the link closes. */
  carry(url: string, link: Link, ended: () => void): Promise<void>;
}

interface SharedSocket {
  readonly opened: Promise<OpenSocket>;
  /** Open and pending links. */
  links: number;
}

interface OpenSocket {
  readonly channels: Channels;
  readonly queuedBytes: () => number;
}

/** Close reasons after which the next link gets a new socket. */
const suspicious: readonly number[] = [linkCloseCodes["heartbeat-missed"], linkCloseCodes["channels-too-many"]];

export function createSharedSockets({
  connect,
  onReached,
  limits = switchboardLimits,
}: SharedSocketsOptions): SharedSockets {
  /** The socket for new links, by address. */
  const sockets = new Map<string, SharedSocket>();

  /** Addresses that were unreachable at the last try. */
  const away = new Set<string>();

  async function open(url: string): Promise<OpenSocket> {
    const link = await connect(url);
    if (away.delete(url)) onReached?.(url);
    // Hubs never open channels.
    const channels = createChannels(link, { limits, onChannel: (channel) => channel.close() });
    return { channels, queuedBytes: () => link.queuedBytes };
  }

  function socketTo(url: string): SharedSocket {
    const known = sockets.get(url);
    if (known && known.links < limits.channelsPerLink) return known;
    const socket: SharedSocket = { opened: open(url), links: 0 };
    sockets.set(url, socket);
    socket.opened.catch(() => {
      away.add(url);
      retire(url, socket);
    });
    return socket;
  }

  /** New links get another socket; this one closes with its last link. */
  function retire(url: string, socket: SharedSocket): void {
    if (sockets.get(url) === socket) sockets.delete(url);
  }

  /** Pipes two links into each other until either closes. */
  function join(link: Link, channel: Link): Promise<CloseReason> {
    return new Promise((resolve) => {
      link.start({
        message(message) {
          // A hub closes a socket, with all its links, after an oversized message.
          if (isLonger(message, limits.frameBytes)) return link.close(linkCloseReason("frame-too-large"));
          channel.send(message);
        },
        closed(reason) {
          channel.close(reason);
          resolve(reason);
        },
      });
      channel.start({ message: link.send, closed: link.close });
    });
  }

  return {
    async carry(url, link, ended) {
      checkAddress(url);
      const socket = socketTo(url);
      socket.links++;
      const { channels, queuedBytes } = await socket.opened;
      const letGo = () => {
        socket.links--;
        if (socket.links > 0) return;
        retire(url, socket);
        channels.close();
      };
      if (queuedBytes() > limits.queuedBytes) {
        letGo();
        throw new Error(`The hub at ${url} reads too slowly.`);
      }
      void join(link, channels.open()).then(({ code }) => {
        if (suspicious.includes(code)) retire(url, socket);
        letGo();
        ended();
      });
    },
  };
}

function isLonger(message: Message, bytes: number): boolean {
  if (message.length > bytes) return true;
  // A UTF-16 unit takes at most three bytes.
  return typeof message === "string" && message.length > bytes / 3 && new TextEncoder().encode(message).length > bytes;
}

function checkAddress(url: string): void {
  if (!/^wss?:\/\//.test(url)) throw new Error(`A link needs an address such as wss://hub.example, not ${url}.`);
}
