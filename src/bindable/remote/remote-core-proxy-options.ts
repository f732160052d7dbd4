import type { Clock } from "../../link/index.ts";
import type { BindableLogger } from "./messages.ts";

export interface RemoteCoreProxyOptions {
  /** Calls that may be unanswered at one time. 1024 when left out. */
  readonly maxPendingInvocations?: number;
  /** Calls that may wait for the server's first answer. 1024 when left out. */
  readonly maxPreSyncQueue?: number;
  /** `eager` does not let `set` and `invoke` wait for it: an earlier `setWithAck` may then come after them. */
  readonly preSyncBehavior?: "queue" | "eager";
  /** Milliseconds that a call waits for its answer when it does not say; 0 for ever. 30 000 when left out. */
  readonly timeoutMs?: number;
  /** Milliseconds between signs of life, with a server that knows them; 0 for none. 15 000 when left out. */
  readonly heartbeat?: number;
  readonly logger?: BindableLogger;
  readonly clock?: Clock;
}
