// Looks out for a hub in the place of a page that has none.
import { createReconnect } from "../../link/index.ts";
import type { Link, Reconnect } from "../../link/index.ts";
import { encodeText, parseText, toPage } from "../../wire/index.ts";
import type { FrameFromPage, FrameToPage } from "../../wire/index.ts";
import type { Board } from "./board.ts";
import { isFromWorker } from "./call-ids.ts";

export type Hello = Extract<FrameFromPage, { type: "hello" }>;

export interface LookOutOptions {
  readonly hello: Hello;
  /** Makes another link to the hub, or rejects. */
  readonly connect: () => Promise<Link>;
  /** The hub said something that the page should hear itself. */
  readonly onAnswer: () => void;
}

/** Says hello to the hub again and again, until it is closed. */
export function lookOut({ hello, connect, onAnswer }: LookOutOptions, { clock, random, limits }: Board): Reconnect {
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
 * The hub does not know the calls of this worker, and would cancel them. It sends each frame in a message of its own,
 * because the worker reads each.
 */
export function helloForHub(hello: Hello): string {
  const running = hello.running.filter((id) => !isFromWorker(id));
  return encodeText({ ...hello, running, batches: undefined });
}

/** A hub that runs for something else is as good as none. */
export function isNotForThisOrigin(frame: FrameToPage): frame is Extract<FrameToPage, { type: "refused" }> {
  return frame.type === "refused" && frame.code === "origin-not-allowed";
}
