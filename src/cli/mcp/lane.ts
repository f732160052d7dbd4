import type { HubHttp } from "./hub-http.ts";
import type { Output } from "./output.ts";
import type { Waiting } from "./wait.ts";

/** What messages go through, of either era. */
export interface LaneOptions {
  readonly hub: HubHttp;
  readonly output: Output;
  readonly waiting: Waiting;
  /** Tells the user. */
  note(text: string): void;
}
