// Keeps trying to reach the hub for a page that has none.
import { createReconnect } from "../../link/index.ts";
import type { Link, Reconnect } from "../../link/index.ts";
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
