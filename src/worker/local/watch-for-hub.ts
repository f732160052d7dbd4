// Whether a page has its hub: notices that it fell silent, and keeps trying to reach it for a page that has none.
import { createReconnect, missedHeartbeats } from "../../link/index.ts";
import type { Link, Reconnect, Clock } from "../../link/index.ts";
import { encodeText, parseText, toPage } from "../../wire/index.ts";
import type { FrameFromPage, FrameToPage } from "../../wire/index.ts";
import type { LocalSwitchboard } from "./local-switchboard.ts";
import { isFromWorker } from "./call-ids.ts";

export type Hello = Extract<FrameFromPage, { type: "hello" }>;

export interface WatchForHubOptions {
  readonly hello: Hello;
  /** Opens another link to the hub, or rejects. */
  readonly connect: () => Promise<Link>;
  /** The hub answered, and the page should connect to it. */
  readonly onAnswer: () => void;
}

/** Sends a hello to the hub, with backoff, until it is closed. */
export function watchForHub(
  { hello, connect, onAnswer }: WatchForHubOptions,
  { clock, random, limits }: LocalSwitchboard,
): Reconnect {
  return createReconnect({
    clock,
    random,
    connect,
    onLink(link) {
      link.send(helloForHub(hello));
      return {
        message(message) {
          const parsed = parseText(toPage, String(message), limits);
          if (parsed.kind === "frame" && !isNotForThisOrigin(parsed.frame)) onAnswer();
        },
        closed: () => {},
      };
    },
    onWaiting: () => {},
  });
}

/**
 * Leaves out the worker's own calls, which the hub would cancel as unknown, and batching, because the worker reads each
 * frame.
 */
export function helloForHub(hello: Hello): string {
  const running = hello.running.filter((id) => !isFromWorker(id));
  return encodeText({ ...hello, running, batches: undefined });
}

/** A hub that refuses this origin counts as no hub. */
export function isNotForThisOrigin(frame: FrameToPage): frame is Extract<FrameToPage, { type: "refused" }> {
  return frame.type === "refused" && frame.code === "origin-not-allowed";
}

/** Tracks a hub's heartbeat and clock by its frames. */
export interface HubHeartbeat {
  /** How far the hub's clock is ahead of this worker's. Pages measure lateness by it. */
  readonly ahead: number;
  /** Call it for each message; with undefined if that is no frame of this version. */
  received(frame: FrameToPage | undefined): void;
  /** Call it when the connection to the hub has ended. */
  stop(): void;
}

/** The worker's own frames hide a silent hub from its pages, so the worker checks the heartbeat. */
export function createHubHeartbeat(clock: Clock, onSilent: () => void): HubHeartbeat {
  let ahead = 0;
  let timeout = Infinity;
  let stopWaiting = () => {};
  return {
    get ahead() {
      return ahead;
    },
    received(frame) {
      if (frame?.type === "welcome") {
        timeout = frame.heartbeat * missedHeartbeats;
        ahead = frame.at - clock.now();
      } else if (frame?.type === "call") {
        // The fastest frame so far gives the best estimate, as in the page.
        ahead = Math.max(ahead, frame.at - clock.now());
      }
      stopWaiting();
      if (timeout < Infinity) stopWaiting = clock.after(timeout, onSilent);
    },
    stop() {
      stopWaiting();
      ahead = 0;
    },
  };
}
