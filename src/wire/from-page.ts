import {
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
   * Who the page says it is; `running` are the calls it still works on, `epochs` those of its memory. The first frame
   * of a link or channel. With `batches` the page takes messages of several frames, and may send such once one came; with
   * `approves` it asks the person in front of it about calls that say so.
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
  },
  /** Everything that the page offers; payload: an Offer. */
  offer: {},
  /** What changed since; payload: an OfferChange. */
  "offer-change": {},
  /** The tab's title, address, focus or epochs changed. */
  tab: { title: optional(title), url: optional(url), focused: optional(flag), epochs: optional(epochs) },
  /** The page took the call; sent before its handler runs. */
  ack: { id: identifier },
  progress,
  log,
  ask,
  result: { ...result, inputRequired: optional(flag) },
  failure,
  /** No script runs until `resumed`, or a new hello. */
  suspended: { reason: oneOf(suspensions) },
  resumed: {},
  /** Whoever welcomed the page in the place of a hub shall look for one now. */
  wake: {},
  /** A resource that was read before has new contents. */
  updated: { uri: target },
  heartbeat,
  /** The document is gone, and perhaps another takes its place; `final` when the page leaves for good. */
  bye: { final: optional(flag) },
} as const satisfies FrameTable;

export type FrameFromPage = FrameIn<typeof fromPage>;
