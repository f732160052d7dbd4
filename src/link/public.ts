// What the package publishes as pagewire/link. What only rooms of this repository need is in index.ts.
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
