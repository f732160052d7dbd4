// The sockets of a worker, one for each hub, and in each a channel for every link that it carries. What one link does
// wrong, or too fast, ends that link and no other.
import { createChannels } from "../link/index.ts";
import type { Channels, Link } from "../link/index.ts";
import { linkCloseCodes, linkCloseReason, switchboardLimits } from "../wire/index.ts";
import type { CloseReason, SwitchboardLimits, Message } from "../wire/index.ts";

export interface TrunksOptions {
  /** Opens a socket that carries channels. It is not to end itself when its peer is slow: each channel is seen to. */
  readonly connect: (url: string) => Promise<Link>;
  /** Hears that a socket could be opened to an address to which none could before. */
  readonly onReached?: (url: string) => void;
  readonly limits?: Pick<SwitchboardLimits, "channelsPerLink" | "frameBytes" | "queuedBytes" | "sharedBytes">;
}

export interface Trunks {
  /** Carries a link to this address; rejects where that cannot be done, and calls `ended` at the link's end. */
  carry(url: string, link: Link, ended: () => void): Promise<void>;
}

/** A socket, opened or about to be. */
interface Trunk {
  readonly opened: Promise<OpenTrunk>;
  /** How many links it carries, or is to carry once it is open. */
  links: number;
}

interface OpenTrunk {
  readonly channels: Channels;
  readonly queuedBytes: () => number;
}

/** After a link that ended for one of these reasons, the next one gets another socket. */
const suspicious: readonly number[] = [linkCloseCodes["heartbeat-missed"], linkCloseCodes["channels-too-many"]];

export function createTrunks({ connect, onReached, limits = switchboardLimits }: TrunksOptions): Trunks {
  /** For each address, the socket for links to come. */
  const trunks = new Map<string, Trunk>();

  /** The addresses to which no socket could be opened when it was tried last. */
  const away = new Set<string>();

  async function open(url: string): Promise<OpenTrunk> {
    const link = await connect(url);
    if (away.delete(url)) onReached?.(url);
    // A hub opens no channels.
    const channels = createChannels(link, { limits, onChannel: (channel) => channel.close() });
    return { channels, queuedBytes: () => link.queuedBytes };
  }

  function trunkTo(url: string): Trunk {
    const known = trunks.get(url);
    if (known && known.links < limits.channelsPerLink) return known;
    const trunk: Trunk = { opened: open(url), links: 0 };
    trunks.set(url, trunk);
    trunk.opened.catch(() => {
      away.add(url);
      retire(url, trunk);
    });
    return trunk;
  }

  /** Links to come get another socket; this one ends with the last of its own. */
  function retire(url: string, trunk: Trunk): void {
    if (trunks.get(url) === trunk) trunks.delete(url);
  }

  /** The two links as one, until either ends. */
  function join(link: Link, channel: Link): Promise<CloseReason> {
    return new Promise((resolve) => {
      link.start({
        message(message) {
          // A hub ends the socket that brings more than a frame, and with it every link.
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
      const trunk = trunkTo(url);
      trunk.links++;
      const { channels, queuedBytes } = await trunk.opened;
      const letGo = () => {
        trunk.links--;
        if (trunk.links > 0) return;
        retire(url, trunk);
        channels.close();
      };
      if (queuedBytes() > limits.queuedBytes) {
        letGo();
        throw new Error(`The hub at ${url} reads too slowly.`);
      }
      void join(link, channels.open()).then(({ code }) => {
        if (suspicious.includes(code)) retire(url, trunk);
        letGo();
        ended();
      });
    },
  };
}

function isLonger(message: Message, bytes: number): boolean {
  if (message.length > bytes) return true;
  // No character of a string takes more than three bytes.
  return typeof message === "string" && message.length > bytes / 3 && new TextEncoder().encode(message).length > bytes;
}

function checkAddress(url: string): void {
  if (!/^wss?:\/\//.test(url))
    throw new Error(`A link is carried to an address such as wss://hub.example, not to ${url}.`);
}
