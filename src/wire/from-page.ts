import {
  answer,
  ask,
  epochs,
  failure,
  flag,
  heartbeat,
  identifier,
  list,
  log,
  name,
  oneOf,
  optional,
  progress,
  result,
  target,
  text,
  token,
  versions,
} from "./fields.ts";
import type { FrameIn, FrameTable } from "./codec.ts";
import { suspensions } from "./words.ts";

const title = text(1024);
const url = text(8192);

/** Frames that a page sends. */
export const fromPage = {
  /**
   * The page's identity; `running` are the calls that it still runs, `epochs` those of its memory. The first frame of a link or
   * channel. With `batches` the page accepts messages of several frames, and may send them once one came; with `approves`
   * it can ask the person in front of it about calls with `approve`. `dialog` is what it asks that person by itself now: only
   * they can answer.
   */
  hello: {
    versions,
    tab: identifier,
    app: name,
    title: optional(title),
    url: optional(url),
    focused: flag,
    token,
    running: list(identifier, 1024),
    epochs: optional(epochs),
    batches: optional(flag),
    approves: optional(flag),
    dialog: optional(title),
  },
  /** The page's whole offer; payload: an Offer. */
  offer: {},
  /** A change of the offer; payload: an OfferChange. */
  "offer-change": {},
  /** The tab's title, address, focus, epochs or dialog changed; without `dialog` there is none. */
  tab: {
    title: optional(title),
    url: optional(url),
    focused: optional(flag),
    epochs: optional(epochs),
    dialog: optional(title),
  },
  /** The page accepted the call; sent before its handler runs. */
  ack: { id: identifier },
  progress,
  log,
  /** With `inPage` the page asks the person in front of it, and whichever answer comes first counts: theirs, or the receiver's. */
  ask: { ...ask, inPage: optional(flag) },
  /** A question with `inPage` has its answer: the receiver's, or with a `code` that of the person in front of the page. */
  answered: answer,
  result: { ...result, inputRequired: optional(flag) },
  failure,
  /** No script runs until `resumed`, or a new hello; `final` if a page at another address takes the place of this one. */
  suspended: { reason: oneOf(suspensions), final: optional(flag) },
  resumed: {},
  /** A page that was welcomed without a hub asks for an immediate attempt to connect. */
  wake: {},
  /** The contents of a resource that was read before changed. */
  updated: { uri: target },
  heartbeat,
  /** The document is gone, perhaps replaced by another; `final` if the page leaves for good. */
  bye: { final: optional(flag) },
} as const satisfies FrameTable;

export type FrameFromPage = FrameIn<typeof fromPage>;
