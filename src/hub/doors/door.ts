import type { Switchboard } from "../../switchboard/index.ts";
import type { Limits, Outcome } from "../../wire/index.ts";
import type { Credentials } from "../guard/credentials.ts";
import type { Note } from "../log.ts";
import type { Metrics } from "../metrics.ts";

/** What every door of the hub is given. */
export interface Door {
  readonly switchboard: Switchboard;
  readonly credentials: Credentials;
  readonly limits: Limits;
  readonly newId: () => string;
  readonly note: Note;
  readonly metrics: Metrics;
  /** Why no new call is taken, while the hub is stopping. */
  readonly refusal: () => Outcome | undefined;
}
