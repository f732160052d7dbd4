import type { Switchboard } from "../../switchboard/index.ts";
import type { IncomingHttpHeaders } from "node:http";
import type { CallPolicy } from "../../policy/index.ts";
import type { Limits, Outcome, TraceContext } from "../../wire/index.ts";
import type { Audit } from "../audit/audit.ts";
import type { Credentials } from "../guard/credentials.ts";
import type { Note } from "../common/log.ts";
import type { Arrivals } from "../backpressure/arrivals.ts";
import type { Metrics } from "../common/metrics.ts";
import type { QueueBudget } from "../backpressure/queue-budget.ts";
import type { Tracing } from "../tracing/tracing.ts";

/** What every door of the hub is given. */
export interface Door {
  readonly switchboard: Switchboard;
  readonly credentials: Credentials;
  readonly limits: Limits;
  readonly newId: () => string;
  readonly note: Note;
  readonly metrics: Metrics;
  /** Bounds on what clients do not read, and on what of theirs has not come whole. */
  readonly queues: QueueBudget;
  readonly arrivals: Arrivals;
  readonly audit: Audit;
  /** Where a request over HTTP is in a trace. */
  readonly readTrace: (headers: IncomingHttpHeaders) => TraceContext | undefined;
  /** Undefined where no spans can be told. */
  readonly tracing: Tracing | undefined;
  /** Why no new call is taken, while the hub is stopping. */
  readonly refusal: () => Outcome | undefined;
  /** For doors whose calls the switchboard does not know; it holds all others to it. */
  readonly policy: CallPolicy;
}
