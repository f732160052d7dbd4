// The part of a cluster that pages' sockets know.
import type { Link } from "../../link/index.ts";
import type { Delivery, PageGreeting, TabIdentity } from "../../switchboard/index.ts";
import type { FrameFromPage, Message, Payload } from "../../wire/index.ts";

/** A tab's session for its page's socket: it gets each frame as it came, too. */
export interface RelayedTab {
  receive(frame: FrameFromPage, payload: Payload, message: Message): void;
  lost(how: "gone" | "cut"): void;
}

/** A page's connection, for frames and for messages that hold one already. */
export interface PageCarrier {
  readonly delivery: Delivery;
  readonly link: Pick<Link, "send">;
}

export interface PageAttacher {
  /** Attaches a page to the local switchboard, and tells other hubs about it. */
  attach(identity: TabIdentity, greeting: PageGreeting, carrier: PageCarrier): RelayedTab;
}
