import type { Switchboard } from "../../switchboard/index.ts";
import type { IncomingHttpHeaders } from "node:http";
import type { CallPolicy } from "../../policy/index.ts";
import type { Limits, Outcome, TraceContext } from "../../wire/index.ts";
import type { Audit } from "../audit/audit.ts";
import type { Credentials } from "../guard/credentials.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Homes } from "../cluster/homes.ts";
import type { Note } from "../common/log.ts";
import type { EnterShare } from "../common/use-counts.ts";
import type { Arrivals } from "../backpressure/arrivals.ts";
import type { Metrics } from "../common/metrics.ts";
import type { Challenge } from "../http/challenge.ts";
import type { QueueBudget } from "../backpressure/queue-budget.ts";
import type { Disconnections } from "../sockets/disconnected-tabs.ts";
import type { Tracing } from "../tracing/create-tracing.ts";
import type { OriginWaits } from "../waits/other-waits.ts";
import type { PageWaits } from "../waits/page-waits.ts";
import type { Waits } from "../waits/wait.ts";

/** The dependencies that all of the hub's doors share. */
export interface Door {
  readonly switchboard: Switchboard;
  readonly credentials: Credentials;
  readonly limits: Limits;
  readonly disconnected: Disconnections;
  /** The other hubs; undefined for a hub alone. */
  readonly cluster: Cluster | undefined;
  /** In team mode: counts a thing of a principal's organisation. */
  readonly enterShare: EnterShare | undefined;
  /** Things that live at one of several hubs; undefined for a hub alone. */
  readonly homes: Homes | undefined;
  readonly newId: () => string;
  readonly note: Note;
  readonly metrics: Metrics;
  /** Limits for data that clients have not read, and for incomplete incoming messages. */
  readonly queues: QueueBudget;
  readonly arrivals: Arrivals;
  readonly audit: Audit;
  readonly waits: Waits;
  /** The waits that only their page can end. */
  readonly pages: PageWaits;
  /** The origins whose pages were refused, and may be allowed. */
  readonly origins: OriginWaits | undefined;
  /** The part of a refusal that says how to get in. */
  readonly challenge: Challenge;
  readonly readTrace: (headers: IncomingHttpHeaders) => TraceContext | undefined;
  /** Undefined if there is no tracer. */
  readonly tracing: Tracing | undefined;
  /** The outcome for new calls while the hub stops. */
  readonly refusal: () => Outcome | undefined;
  /** For doors whose calls bypass the switchboard, which applies the policy to all others. */
  readonly policy: CallPolicy;
}

/** The outcome of new calls while the hub is stopping. */
export const stopping: Outcome = {
  outcome: "rejected",
  ran: "no",
  code: "going-away",
  message: "The hub is stopping. Try again in a moment.",
  retryAfter: 1000,
};
