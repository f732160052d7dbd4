// Keeps a page connected to its hub: says hello, hears the welcome or the refusal, and knows in words how things stand.
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

/** Why there is no connection, where more is known than that there is none. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly command?: string | undefined;
}

/** The link to a hub that has welcomed this page, also after it closed. */
export interface Connected {
  link: Link | undefined;
}

/** Finds out what keeps the hub out of reach, if it is not the hub. */
export interface UnreachablePart {
  whyUnreachable(hub: string): Promise<Refusal | undefined>;
}

export interface Connection {
  /** Ends a wait for the next attempt, also that of a worker which welcomed this page in a hub's place. */
  retryNow(): void;
  /** Leaves the hub for good: what this page offers is listed no longer. */
  close(): void;
}

/** Takes what the hub says. */
interface Server {
  /** What a hello says of this tab now. */
  describe(): Omit<Extract<FrameFromPage, { type: "hello" }>, "type" | "versions" | "app" | "token">;
  /** What a hub may say once it knows the page. */
  readonly frames: typeof toPage;
  /** The frames of a message. */
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
  /** Is kept up to date. */
  readonly connected: Connected;
  /** The token to say now; null where there is none. */
  token(): Promise<string | null | undefined>;
  /** Gets what serves a hub; it stays the same once it is there. */
  session(): Promise<Server>;
  onState(state: PageState): void;
  readonly onError: OnError;
  /** Finds out what keeps every hub out of reach, if it is not the hub. */
  whyUnreachable(): Promise<Refusal | undefined>;
}

/** How long a hub may take to welcome a page, in milliseconds. */
const welcomeTime = 10_000;

/** Connects to a hub, and again whenever the connection ends. */
export function connectToHub(options: ConnectionOptions): Connection {
  const { environment, hub, limits, connected, onState, onError } = options;
  const { clock, random, date } = environment;
  let server: Server | undefined;
  /** Where hello was said. */
  let greeted: Link | undefined;
  /** Whether the last welcome was a hub's own. */
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
    let patience = welcomeTime;
    let heardAt = clock.now();
    retryAt = 0;
    refusal = undefined;

    /** One timer for many messages: setting it anew with each costs more than what reads them. */
    function awaitWord(): void {
      stopTimer();
      const left = heardAt + patience - clock.now();
      if (left > 0) stopTimer = clock.after(left, awaitWord);
      else link.close(linkCloseReason("heartbeat-missed"));
    }

    function take(text: string): void {
      // Who has not said hello yet is told nothing else.
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
        patience = frame.heartbeat * missedHeartbeats;
        awaitWord();
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

    awaitWord();
    sayHello().catch((error: unknown) => {
      // A hub that refuses the page also keeps it from loading what runs calls: the hub's word says more.
      if (server || !refusal) onError(error, { stage: "hello" });
      refusal ??= {
        code: server ? "token-required" : "part-missing",
        message: `The page could not say hello: ${messageOf(error)}`,
      };
      link.close();
    });
    return {
      message(message) {
        heardAt = clock.now();
        // A hub sends text: bytes in its place are no frame.
        const text = String(message);
        // The frame before in its message may have ended the link.
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

    function tell(): void {
      onState(
        refusal
          ? { status: "refused", code: refusal.code, message: refusal.message, command: refusal.command, retryAt }
          : { status: "reconnecting", message, retryAt },
      );
    }

    tell();
    if (!isUnreachable || wasWelcome) return;
    // Where it cannot be found out, the page still says that no hub answers.
    options.whyUnreachable().then(
      (found) => {
        // By now there may be a link, or the next wait.
        if (retryAt !== until || found?.code === refusal?.code) return;
        refusal = found;
        tell();
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
