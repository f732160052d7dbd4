// The one socket to the hub for the links of all tabs, and what the popup says about it.
import { connectSocket, watchEnd } from "../../link/index.ts";
import type { Link, SocketClass } from "../../link/index.ts";
import { linkCloseCodes, messageOf } from "../../wire/index.ts";
import { createSharedSockets } from "../../worker/index.ts";
import { isLoopback } from "../is-loopback.ts";
import { shownHub } from "../messages.ts";
import type { ShownHub } from "../messages.ts";
import type { PairedHub } from "../settings.ts";
import { stampHello } from "./stamp-hello.ts";
import type { Stamp } from "./stamp-hello.ts";
import type { Stored } from "./stored.ts";

export interface HubSockets {
  carry(hub: PairedHub, link: Link, page: Omit<Stamp, "token">): Promise<void>;
  show(hub: ShownHub): void;
  /** The worker has started: a refusal stands until the hub takes this browser, or another pairing. */
  start(hub: PairedHub | undefined): void;
}

export interface HubSocketsOptions {
  readonly WebSocket: SocketClass;
  readonly session: Stored;
}

/** The address of a hub's socket for pages. */
export function pageSocketOf(address: string): string {
  return `${address.replace(/^http/, "ws")}/page`;
}

export const unpaired: ShownHub = { status: "unpaired", message: "This browser is not paired with a hub." };

export function idle({ address }: PairedHub): ShownHub {
  return { status: "idle", message: `Paired with the hub at ${address}. No page offers tools now.` };
}

export function createHubSockets({ WebSocket, session }: HubSocketsOptions): HubSockets {
  let current: PairedHub | undefined;
  /** The hub's last answer, if it refused this browser. */
  let refusal: ShownHub | undefined;

  const change = (update: (before: ShownHub | undefined) => ShownHub) =>
    void session.change(shownHub, (before) => update(before as ShownHub | undefined)).catch(console.error);
  const show = (shown: ShownHub) => change(() => shown);

  const sockets = createSharedSockets({
    async connect(url) {
      try {
        const protocols = ["pagewire.channels.1"];
        const link = await connectSocket({ url, WebSocket, protocols, limits: { queuedBytes: Infinity } });
        return watchEnd(link, (reason) => {
          if (!current || pageSocketOf(current.address) !== url) return reason;
          const isOurs = reason.code === linkCloseCodes.normal;
          show(
            isOurs
              ? (refusal ?? idle(current))
              : { status: "away", message: `The connection to the hub at ${current.address} was lost.` },
          );
          return reason;
        });
      } catch (error) {
        show({ status: "away", message: messageOf(error), ...startCommand(url) });
        throw error;
      }
    },
  });

  return {
    show,
    start: (hub) => change((before) => (!hub ? unpaired : before?.status === "refused" ? before : idle(hub))),
    carry(hub, link, page) {
      if (current?.token !== hub.token) refusal = undefined;
      current = hub;
      const { address, token } = hub;
      const stamped = stampHello(
        link,
        { ...page, token },
        {
          welcomed() {
            refusal = undefined;
            show({ status: "connected", message: `Connected to the hub at ${address}.` });
          },
          refused({ code, message, command }) {
            // Other refusals are of one page, which shows them.
            const isVersion = code === "version-unsupported";
            if (!isVersion && !code.startsWith("token-")) return;
            refusal = { status: "refused", message: isVersion ? otherVersion(address) : message, command };
            show(refusal);
          },
        },
      );
      return sockets.carry(pageSocketOf(address), stamped, () => {});
    },
  };
}

/** A hub on this computer is the person's to start. */
function startCommand(url: string): Pick<ShownHub, "command"> {
  return isLoopback(new URL(url).hostname) ? { command: "npx pagewire" } : {};
}

function otherVersion(address: string): string {
  return `The hub at ${address} and this extension are of versions that do not understand each other. Update the older one.`;
}
