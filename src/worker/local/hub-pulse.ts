import { missedHeartbeats } from "../../link/index.ts";
import type { Clock } from "../../link/index.ts";
import type { FrameToPage } from "../../wire/index.ts";

/** What the frames of a hub tell of the hub itself. */
export interface HubPulse {
  /** How far the hub's clock is ahead of this worker's, by which pages tell lateness. */
  readonly ahead: number;
  /** Something came; undefined where it is no frame of this version. */
  heard(frame: FrameToPage | undefined): void;
  /** There is no hub any more. */
  stop(): void;
}

/** Frames of a worker's own keep its pages from noticing that their hub is silent: here it is noticed. */
export function createHubPulse(clock: Clock, onSilent: () => void): HubPulse {
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
        // The quickest frame so far tells it best, as it does to the page.
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
