// Keeps a page connected to its hub: the handshake, heartbeats, reconnecting, and the state that users see.
import { createReconnect, missedHeartbeats } from "../../link/index.ts";
import type { Link, LinkEvents, Waiting } from "../../link/index.ts";
import {
  PagewireError,
  encodeText,
  linkCloseReason,
  messageOf,
  parseText,
  toNewPage,
  wireVersions,
} from "../../wire/index.ts";
import type { FrameFromPage, FrameToPage, OnError, PageLimits, toPage } from "../../wire/index.ts";
import type { PageEnvironment } from "../browser/environment.ts";
import type { PageState } from "../api/page.ts";

type Frame<Type> = Extract<FrameToPage, { type: Type }>;

/** Why the hub, or the browser, refuses the connection. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly command?: string | undefined;
}

/** The link to the hub that welcomed this page last; it may be closed now. */
export interface Connected {
  /** The hub's address. */
  readonly hub: string;
  link?: Link;
}

/** Checks whether the browser blocks the hub. */
export interface UnreachablePart {
  whyUnreachable(hub: string): Promise<Refusal | undefined>;
}

export interface Connection {
  /** Skips the backoff, also that of a worker that welcomed this page in place of a hub. */
  retryNow(): void;
  /** Leaves the hub for good, which then no longer lists this page's offers. */
  close(): void;
}

interface FrameHandler {
  /** The fields of a hello about this tab. */
  describe(): Omit<Extract<FrameFromPage, { type: "hello" }>, "type" | "versions" | "app" | "token">;
  /** The frames that a hub may send after the hello. */
  readonly frames: typeof toPage;
  /** Splits a message into frames. */
  split(message: string): readonly string[];
  welcomed(frame: Frame<"welcome">): void;
  take(frame: FrameToPage, payload: string): void;
}

export interface ConnectionOptions {
  readonly environment: PageEnvironment;
  readonly limits: PageLimits;
  /** The hub's address, such as http://127.0.0.1:7337. */
  readonly hub: string;
  readonly app: string;
  /** Updated with each welcome. */
  readonly connected: Connected;
  /** The token for the next hello; null where there is none. */
  token(): Promise<string | null | undefined>;
  /** Loads the session, once. */
  session(): Promise<FrameHandler>;
  onState(state: PageState): void;
  readonly onError: OnError;
  /** Checks whether the browser blocks the hub. */
  whyUnreachable(): Promise<Refusal | undefined>;
}

/** Timeout for the hub's welcome, in milliseconds. */
const welcomeTime = 10_000;

/** Connects to a hub, and again whenever the connection ends. */
export function connectToHub(options: ConnectionOptions): Connection {
  const { environment, hub, limits, connected, onState, onError } = options;
  const { clock, random, date } = environment;
  let server: FrameHandler | undefined;
  /** The link on which hello was sent. */
  let greeted: Link | undefined;
  /** Whether the last welcome came from a hub, not from a worker. */
  let wasWelcome = false;
  let refusal: Refusal | undefined;
  let retryAt = 0;
  let stopTimer = () => {};

  const reconnect = createReconnect({
    clock,
    random,
    connect: () => environment.openLink(`${hub.replace("http", "ws")}/page`, limits),
    onLink,
    onWaiting,
  });

  function onLink(link: Link): LinkEvents {
    let silenceLimit = welcomeTime;
    let receivedAt = clock.now();
    retryAt = 0;
    refusal = undefined;

    /** One timer for many messages: resetting it with each costs more than reading them. */
    function awaitMessage(): void {
      stopTimer();
      const left = receivedAt + silenceLimit - clock.now();
      if (left > 0) stopTimer = clock.after(left, awaitMessage);
      else link.close(linkCloseReason("heartbeat-missed"));
    }

    function take(text: string): void {
      // Before the hello, only the frames for new pages are accepted.
      const frames = server?.frames ?? (toNewPage as typeof toPage);
      const parsed = parseText(frames, text, limits);
      if (parsed.kind === "unknown") return;
      if (parsed.kind === "refused") {
        refusal = new PagewireError(parsed.close, parsed.message);
        link.close(linkCloseReason(parsed.close));
        return onError(refusal, { stage: "hub frame" });
      }
      const { frame, payload } = parsed;
      if (frame.type === "goaway") reconnect.retryWithin(frame.within);
      else if ("within" in frame) reconnect.spread(frame.within ?? 0);
      if (frame.type === "welcome") {
        silenceLimit = frame.heartbeat * missedHeartbeats;
        awaitMessage();
        connected.link = link;
        wasWelcome = !frame.message;
        server?.welcomed(frame);
        onState({
          status: "connected",
          message: frame.message ?? `Connected to the hub at ${hub}.`,
          tabId: frame.tab,
          via: environment.via(),
        });
      } else if (frame.type === "refused") {
        refusal = frame;
      } else if (frame.type === "heartbeat") {
        link.send(encodeText({ type: "heartbeat" }));
      } else if (frame.type !== "goaway") {
        server?.take(frame, payload);
      }
    }

    async function sayHello(): Promise<void> {
      server = await options.session();
      const token = (await options.token()) ?? undefined;
      greeted = link;
      link.send(encodeText({ type: "hello", versions: wireVersions, app: options.app, token, ...server.describe() }));
    }

    awaitMessage();
    sayHello().catch((error: unknown) => {
      // A hub that refuses the page also refuses to serve the session's script: its own refusal explains more.
      if (server || !refusal) onError(error, { stage: "hello" });
      refusal ??= {
        code: server ? "token-required" : "part-missing",
        message: `The page could not say hello: ${messageOf(error)}`,
      };
      link.close();
    });
    return {
      message(message) {
        receivedAt = clock.now();
        // Hubs send text only: bytes will not parse as a frame.
        const text = String(message);
        // An earlier frame of this message may have closed the link.
        for (const frame of server?.split(text) ?? [text]) if (link.open) take(frame);
      },
      closed: () => stopTimer(),
    };
  }

  function onWaiting({ milliseconds, reason }: Waiting): void {
    const until = (retryAt = date() + milliseconds);
    const isUnreachable = reason.code === "hub-unreachable";
    const problem = isUnreachable ? `No hub answers at ${hub}` : "The connection to the hub was lost";
    const message = `${problem}. Trying again in ${Math.ceil(milliseconds / 1000)} s.`;

    function report(): void {
      onState(
        refusal
          ? { status: "refused", code: refusal.code, message: refusal.message, command: refusal.command, retryAt }
          : { status: "reconnecting", message, retryAt },
      );
    }

    report();
    if (!isUnreachable || wasWelcome) return;
    // If that fails, the state still reports that no hub answers.
    options.whyUnreachable().then(
      (found) => {
        // There may be a link by now, or another wait.
        if (retryAt !== until || found?.code === refusal?.code) return;
        refusal = found;
        report();
      },
      () => {},
    );
  }

  return {
    retryNow() {
      reconnect.retryNow();
      if (!wasWelcome) connected.link?.send(encodeText({ type: "wake" }));
    },
    close() {
      retryAt = 0;
      greeted?.send(encodeText({ type: "bye", final: true }));
      reconnect.close();
    },
  };
}
