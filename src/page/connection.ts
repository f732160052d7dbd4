// Keeps a page connected to its hub: says hello, hears the welcome or the refusal, and knows in words how things stand.
import { createReconnect } from "../link/index.ts";
import type { Link, Waiting } from "../link/index.ts";
import { closeReason, encodeFrame, messageOf, parseFrame, textOf, toPage, wireVersions } from "../wire/index.ts";
import type { ErrorCode, FrameFromPage, FrameToPage, Message, PageLimits } from "../wire/index.ts";
import type { PageEnvironment } from "./environment.ts";
import type { PageState } from "./page.ts";

type Frame<Type> = Extract<FrameToPage, { type: Type }>;

/** Why there is no connection, where more is known than that there is none. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly command?: string | undefined;
}

export interface Connection {
  /** Sends a frame if a hub has welcomed this page; says whether it did. */
  send(frame: FrameFromPage, payload?: string): boolean;
  /** Ends a wait for the next attempt. */
  retryNow(): void;
  close(): void;
}

export interface ConnectionOptions {
  readonly environment: PageEnvironment;
  readonly limits: PageLimits;
  /** The hub's address, such as http://127.0.0.1:7337. */
  readonly hub: string;
  /** The hello to say now. */
  hello(): Promise<Omit<Extract<FrameFromPage, { type: "hello" }>, "type" | "versions">>;
  onWelcome(frame: Frame<"welcome">): void;
  onFrame(frame: FrameToPage, payload: string): void;
  onState(state: PageState): void;
  /** Finds out why no hub can be reached from here at all, where that is so. */
  whyUnreachable(): Promise<Refusal | undefined>;
}
