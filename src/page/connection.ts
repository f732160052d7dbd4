// Keeps a page connected to its hub: says hello, hears the welcome or the refusal, and knows in words how things stand.
import { createReconnect } from "../link/index.ts";
import type { Link, LinkEvents, Waiting } from "../link/index.ts";
import {
  PagewireError,
  encodeText,
  linkCloseReason,
  messageOf,
  parseText,
  toPage,
  wireVersions,
} from "../wire/index.ts";
import type { ErrorCode, FrameFromPage, FrameToPage, Message, OnError, PageLimits } from "../wire/index.ts";
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
  /** Leaves the hub for good: what this page offers is listed no longer. */
  close(): void;
}

export interface ConnectionOptions {
  readonly environment: PageEnvironment;
  readonly limits: PageLimits;
  /** The hub's address, such as http://127.0.0.1:7337. */
  readonly hub: string;
  /** The hello to say now. */
  hello(): Promise<Omit<Extract<FrameFromPage, { type: "hello" }>, "type" | "versions">>;
  /** What it means that there was no hello. */
  whyNoHello(): ErrorCode;
  onWelcome(frame: Frame<"welcome">): void;
  onFrame(frame: FrameToPage, payload: string): void;
  onState(state: PageState): void;
  readonly onError: OnError;
  /** Finds out what keeps every hub out of reach, if it is not the hub. */
  whyUnreachable(): Promise<Refusal | undefined>;
}

/** How long a hub may take to welcome a page, in milliseconds. */
const welcomeTime = 10_000;
/** Heartbeats of the hub that may be missing before the link counts as dead. */
const missedHeartbeats = 2.5;

/** Connects to a hub, and again whenever the connection ends. */
export function connectToHub(options: ConnectionOptions): Connection {
  const { environment, hub, limits, onState, onError } = options;
  const { clock, random, date } = environment;
  let welcomed: Link | undefined;
  let refusal: Refusal | undefined;
  let wasWelcome = false;
  let retryAt = 0;
  let stopTimer = () => {};

  const reconnect = createReconnect({
    clock,
    random,
    connect: () => environment.openLink(`${hub.replace("http", "ws")}/page`, limits),
    onLink,
    onWaiting,
  });
  onState({ status: "connecting", message: `Connecting to the hub at ${hub}.` });

  function onLink(link: Link): LinkEvents {
    let patience = welcomeTime;
    refusal = undefined;
    retryAt = 0;

    function expectWord(): void {
      stopTimer();
      stopTimer = clock.after(patience, () => link.close(linkCloseReason("heartbeat-missed")));
    }

    function take(message: Message): void {
      // A hub sends text: bytes in its place are no frame.
      const parsed = parseText(toPage, String(message), limits);
      if (parsed.kind === "unknown") return;
      if (parsed.kind === "refused") {
        const { close: code, message: why } = parsed;
        refusal = { code, message: why };
        link.close(linkCloseReason(code));
        return onError(new PagewireError(code, why), { stage: "hub frame" });
      }
      const { frame, payload } = parsed;
      if (frame.type === "welcome") {
        patience = frame.heartbeat * missedHeartbeats;
        welcomed = link;
        wasWelcome = true;
        options.onWelcome(frame);
        onState({
          status: "connected",
          message: `Connected to the hub at ${hub}.`,
          tabId: frame.tab,
          via: environment.via(),
        });
      } else if (frame.type === "refused") {
        refusal = frame;
      } else if (frame.type === "heartbeat") {
        link.send(encodeText(frame));
      } else if (frame.type === "goaway") {
        reconnect.retryWithin(frame.within);
      } else {
        options.onFrame(frame, payload);
      }
    }

    expectWord();
    options.hello().then(
      (hello) => link.send(encodeText({ type: "hello", versions: wireVersions, ...hello })),
      (error: unknown) => {
        // A hub that refuses the page also keeps it from loading what runs calls: the hub's word says more.
        refusal ??= { code: options.whyNoHello(), message: `The page could not say hello: ${messageOf(error)}` };
        link.close();
        onError(error, { stage: "hello" });
      },
    );
    return {
      message(message) {
        take(message);
        expectWord();
      },
      closed() {
        stopTimer();
        welcomed = undefined;
      },
    };
  }

  function onWaiting({ milliseconds, reason }: Waiting): void {
    const until = (retryAt = date() + milliseconds);
    const isUnreachable = reason instanceof Error;
    const problem = isUnreachable ? `No hub answers at ${hub}` : "The connection to the hub was lost";
    const seconds = Math.ceil(milliseconds / 1000);

    function tell(): void {
      if (refusal) {
        const { code, message, command } = refusal;
        onState({ status: "refused", code, message, command, retryAt });
      } else {
        onState({ status: "reconnecting", message: `${problem}. Trying again in ${seconds} s.`, retryAt });
      }
    }

    tell();
    if (!isUnreachable || wasWelcome) return;
    const explain = (found: Refusal | undefined) => {
      // By now there may be a link, or the next wait.
      if (retryAt !== until || found?.code === refusal?.code) return;
      refusal = found;
      tell();
    };
    // Where it cannot be found out, the page still says that no hub answers.
    options.whyUnreachable().then(explain, () => {});
  }

  return {
    send(frame, payload) {
      if (!welcomed?.open) return false;
      welcomed.send(encodeText(frame, payload));
      return true;
    },
    retryNow: reconnect.retryNow,
    close() {
      retryAt = 0;
      stopTimer();
      welcomed?.send(encodeText({ type: "bye", final: true }));
      reconnect.close();
    },
  };
}
