import { connectSocket } from "pagewire/link";
import type { Link } from "pagewire/link";
import { defaultLimits } from "pagewire/wire";

/** As much as all calls that can run at a time may answer. */
const queuedBytes = defaultLimits.callsPerTab * defaultLimits.frameBytes;

/** Opens the socket on which the hub calls the tools of the page that opened this window. */
export function openWindowSocket(conversation: string, token: string): Promise<Link> {
  const url = new URL(`/ws/parent-window/${encodeURIComponent(conversation)}`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  return connectSocket({
    url: url.href,
    WebSocket,
    // The hub chooses the first, which would repeat the token otherwise.
    protocols: ["pagewire.window.1", `pagewire.bearer.${token}`],
    limits: { queuedBytes },
  });
}
