import {
  agent,
  answer,
  asks,
  duration,
  flag,
  identifier,
  number,
  oneOf,
  optional,
  sentence,
  target,
  trace,
} from "./fields.ts";
import type { FrameIn, FrameTable } from "./codec.ts";
import { toNewPage, within } from "./to-new-page.ts";
import { callMethods } from "./words.ts";

/** Frames that a hub or worker sends to a page. */
export const toPage = {
  ...toNewPage,
  /** With a message the sender is no hub: the message tells why there is none, and the sender accepts `wake`. */
  welcome: { version: number, tab: identifier, at: number, heartbeat: duration, within, message: optional(sentence) },
  /**
   * Payload: the arguments; with `input` an object of `arguments`, `inputResponses` and `requestState`. `at` is the
   * sender's clock, `left` the time left then; `resume` only asks about an earlier call. With `rounds` the caller
   * accepts an input_required result and calls again with the answers; with `approve` the person in front of the page must
   * allow the call before it runs. A page whose last epoch is not `epoch` ignores
   * the call; it is sent again once the sender knows that epoch.
   */
  call: {
    id: identifier,
    key: optional(identifier),
    method: oneOf(callMethods),
    name: target,
    left: duration,
    at: number,
    agent,
    asks,
    resume: optional(flag),
    rounds: optional(flag),
    approve: optional(flag),
    input: optional(flag),
    epoch: optional(identifier),
    trace,
  },
  cancel: { id: identifier, reason: optional(sentence) },
  answer,
} as const satisfies FrameTable;

export type FrameToPage = FrameIn<typeof toPage>;
