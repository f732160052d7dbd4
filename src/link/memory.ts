import type { Link } from "./link.ts";
import { createCarriedLink } from "./carried-link.ts";
import type { CarriedLink, Carrier } from "./carried-link.ts";

/** Two links in one program that are each other's peer. */
export function createMemoryLinks(): [Link, Link] {
  const left: CarriedLink = createCarriedLink(carrierTo(() => right));
  const right: CarriedLink = createCarriedLink(carrierTo(() => left));
  return [left.link, right.link];
}

function carrierTo(peer: () => CarriedLink): Carrier {
  return {
    get queuedBytes() {
      return peer().waitingBytes;
    },
    send: (message) => peer().receive(message),
    close: (reason) => peer().end(reason),
  };
}
