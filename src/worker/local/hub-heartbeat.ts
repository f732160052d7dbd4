import { missedHeartbeats } from "../../link/index.ts";
import type { Clock } from "../../link/index.ts";
import type { FrameToPage } from "../../wire/index.ts";

/** Tracks a hub's heartbeat and clock by its frames. */
export interface HubHeartbeat {
  /** How far the hub's clock is ahead of this worker's. Pages measure lateness by it. */
  readonly ahead: number;
  /** Call it for each message; with undefined if that is no frame of this version. */
  heard(frame: FrameToPage | undefined): void;
  /** Call it when the connection to the hub has ended. */
  stop(): void;
}

/** The worker's own frames hide a silent hub from its pages, so the worker checks the heartbeat. */
export function createHubHeartbeat(clock: Clock, onSilent: () => void): HubHeartbeat {
  let ahead = 0;
  let patience = Infinity;
  let stopWaiting = () => {};
  return {
    get ahead() {
      return ahead;
    },
    heard(frame) {
      if (frame?.type === "welcome") {
        patience = frame.heartbeat * missedHeartbeats;
        ahead = frame.at - clock.now();
      } else if (frame?.type === "call") {
        // The fastest frame so far gives the best estimate, as in the page.
        ahead = Math.max(ahead, frame.at - clock.now());
      }
      stopWaiting();
      if (patience < Infinity) stopWaiting = clock.after(patience, onSilent);
    },
    stop() {
      stopWaiting();
      ahead = 0;
    },
  };
}
