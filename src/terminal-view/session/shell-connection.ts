// The connection to a hub's terminals: authentication, heartbeat, reconnecting. Independent of the terminals' content.
import { createReconnect, missedHeartbeats } from "../../link/index.ts";
import type { Clock, Link, LinkEvents, Waiting } from "../../link/index.ts";
import {
  PagewireError,
  closeNameOf,
  encodeText,
  isErrorCode,
  linkCloseReason,
  messageOf,
  pageLimits,
  parseText,
  toView,
} from "../../wire/index.ts";
import type { CloseReason, FrameFromView, FrameToView, Message } from "../../wire/index.ts";
import type { Proof } from "./shell-credentials.ts";

export type Welcome = Extract<FrameToView, { type: "welcome" }>;

export interface ShellConnection {
  /** Sends a frame if a hub has welcomed this view; returns whether it was sent. */
  send(frame: FrameFromView, payload?: string): boolean;
  retryNow(): void;
  close(): void;
}

export interface ShellConnectionOptions {
  readonly clock: Clock;
  /** A number from zero up to one, such as `Math.random`. */
  random(): number;
  openLink(): Promise<Link>;
  /** The credential for the hello. */
  prove(): Promise<Proof>;
  onWelcome(welcome: Welcome): void;
  onFrame(frame: FrameToView, payload: string): void;
  /** Waiting for the next attempt; with the hub's error, if there is one. */
  onWaiting(milliseconds: number, problem: PagewireError | undefined): void;
  /** The hub refused the credential, or there was none. It does not try again. */
  onRefused(problem: PagewireError): void;
}

/** Timeout for the hub's welcome, in milliseconds. */
const welcomeTimeout = 10_000;

/** Errors that no retry can fix. */
const final: readonly string[] = [
  "token-required",
  "token-invalid",
  "token-expired",
  "code-invalid",
  "version-unsupported",
];

export function connectShell(options: ShellConnectionOptions): ShellConnection {
  const { clock, random, openLink, prove, onWelcome, onFrame } = options;
  let welcomed: Link | undefined;
  let problem: PagewireError | undefined;
  let isLeft = false;
  let stopTimer = () => {};
  const reconnect = createReconnect({ clock, random, connect: openLink, onLink, onWaiting });

  function onLink(link: Link): LinkEvents {
    let timeout = welcomeTimeout;
    problem = undefined;

    function expectMessage(): void {
      stopTimer();
      stopTimer = clock.after(timeout, () => link.close(linkCloseReason("heartbeat-missed")));
    }

    function take(message: Message): void {
      const parsed = parseText(toView, String(message), pageLimits);
      if (parsed.kind === "unknown") return;
      if (parsed.kind === "refused") {
        problem = new PagewireError(parsed.close, parsed.message);
        return link.close(linkCloseReason(parsed.close));
      }
      const { frame, payload } = parsed;
      if (frame.type === "heartbeat") link.send(encodeText(frame));
      if (frame.type === "welcome") {
        timeout = frame.heartbeat * missedHeartbeats;
        welcomed = link;
        return onWelcome(frame);
      }
      if (!welcomed && frame.type === "failed") problem = hubError(frame.code, frame.message);
      else if (welcomed === link) onFrame(frame, payload);
    }

    expectMessage();
    prove().then(
      (proof) => link.send(encodeText({ type: "hello", version: 1, ...proof })),
      (error: unknown) => {
        problem = PagewireError.isInstance(error) ? error : noToken(error);
        link.close();
      },
    );
    return {
      message(message) {
        // A closing link may still deliver messages.
        if (isLeft) return;
        take(message);
        // A message may have closed the link.
        if (link.open && !isLeft) expectMessage();
      },
      closed(reason) {
        if (isLeft) return;
        stopTimer();
        welcomed = undefined;
        problem ??= problemOf(reason);
        if (!problem || !final.includes(problem.code)) return;
        reconnect.close();
        options.onRefused(problem);
      },
    };
  }

  function onWaiting({ milliseconds, reason }: Waiting): void {
    const why = PagewireError.isInstance(reason) ? reason : problem;
    options.onWaiting(milliseconds, why);
  }

  return {
    send(frame, payload) {
      if (!welcomed?.open) return false;
      welcomed.send(encodeText(frame, payload));
      return true;
    },
    retryNow: reconnect.retryNow,
    close() {
      isLeft = true;
      welcomed = undefined;
      stopTimer();
      reconnect.close();
    },
  };
}

/** The error in a close reason; undefined for an ordinary close. */
function problemOf({ code, reason }: CloseReason): PagewireError | undefined {
  const name = closeNameOf(code);
  if (name === undefined || name === "normal" || name === "going-away" || name === "heartbeat-missed") return undefined;
  return hubError(name, reason);
}

export function hubError(code: string, message: string): PagewireError {
  return new PagewireError(isErrorCode(code) ? code : "internal-error", message);
}

function noToken(cause: unknown): PagewireError {
  return new PagewireError("internal-error", `There is no token to say who this is: ${messageOf(cause)}`, { cause });
}
