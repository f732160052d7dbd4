// The exports of pagewire/link. Exports for this repository only are in index.ts.
export {
  connectSocket,
  createCarriedLink,
  createMemoryLinks,
  createPortLink,
  createReconnect,
  createSocketLink,
  systemClock,
} from "./index.ts";
export type { Carrier, Clock, Link, LinkEvents, PortLike, Reconnect, SocketLike } from "./index.ts";
