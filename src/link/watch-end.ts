import type { CloseReason } from "../wire/index.ts";
import type { Link } from "./link.ts";

/** Wraps a link: `ended` runs before its listener, and returns the reason to pass on. */
export function watchEnd(link: Link, ended: (reason: CloseReason) => CloseReason): Link {
  return {
    get open() {
      return link.open;
    },
    get queuedBytes() {
      return link.queuedBytes;
    },
    send: link.send,
    close: link.close,
    start: ({ message, closed }) => link.start({ message, closed: (reason) => closed(ended(reason)) }),
  };
}
