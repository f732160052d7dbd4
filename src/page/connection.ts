// Keeps a page connected to its hub: says hello, hears the welcome or the refusal, and knows in words how things stand.
import { createReconnect } from "../link/index.ts";
import type { Link, Waiting } from "../link/index.ts";
import {
  PagewireError,
  closeReason,
  messageOf,
  encodeFrame,
  parseFrame,
  textOf,
  toPage,
  wireVersions,
} from "../wire/index.ts";
import type { FrameFromPage, FrameToPage, Limits, OnError } from "../wire/index.ts";
import type { PageEnvironment } from "./environment.ts";
import type { PageState } from "./page.ts";

export interface Connection {
  /** Sends a frame if a hub has welcomed this page; else does nothing. */
  send(frame: FrameFromPage, payload?: string): void;
  /** Ends a wait for the next attempt. */
  retryNow(): void;
  close(): void;
}

export interface ConnectionOptions {
  readonly environment: PageEnvironment;
  readonly limits: Limits;
  /** The hub's address, such as http://127.0.0.1:7337. */
  readonly hub: string;
  /** The hello to say now. */
  hello(): Promise<Omit<Extract<FrameFromPage, { type: "hello" }>, "type" | "versions">>;
  /** The page counts as connected once this has resolved. */
  onWelcome(frame: Extract<FrameToPage, { type: "welcome" }>): Promise<void>;
  onFrame(frame: FrameToPage, payload: string): void;
  onState(state: PageState): void;
  readonly onError: OnError;
}

/** Heartbeats of the hub that may be missing before the link counts as dead. */
const patience = 2.5;

export function connectToHub(options: ConnectionOptions): Connection {
  const { environment, hub, limits, onState } = options;
  const { clock } = environment;
  let welcomed: Link | undefined;
  let refusal: Extract<FrameToPage, { type: "refused" }> | undefined;
  let stopListening = () => {};

  const reconnect = createReconnect({
    clock,
    random: environment.random,
    connect: () => environment.openLink(`${hub.replace(/^http/, "ws")}/page`),
    onLink,
    onWaiting: (waiting) => void explain(waiting),
  });
  onState({ status: "connecting", message: `Connecting to the hub at ${hub}.` });

  function onLink(link: Link): void {
    refusal = undefined;
    let heartbeat = limits.heartbeatTime;
    const expectWord = () => {
      stopListening();
      stopListening = clock.after(heartbeat * patience, () => link.close(closeReason("heartbeat-missed")));
    };
    link.start({
      message(message) {
        expectWord();
        const parsed = parseFrame(toPage, message, limits);
        if (parsed.kind === "refused") {
          options.onError(new PagewireError("frame-malformed", parsed.message), { stage: "hub frame" });
          return link.close();
        }
        if (parsed.kind === "unknown") return;
        const { frame } = parsed;
        if (frame.type === "welcome") {
          heartbeat = frame.heartbeat;
          welcomed = link;
          options.onWelcome(frame).then(
            () =>
              welcomed === link &&
              onState({ status: "connected", message: `Connected to the hub at ${hub}.`, tabId: frame.tab }),
            (error: unknown) => {
              refusal = {
                type: "refused",
                code: "part-missing",
                message: `A part of Pagewire could not be loaded: ${messageOf(error)}`,
              };
              link.close();
            },
          );
        } else if (frame.type === "refused") refusal = frame;
        else if (frame.type === "heartbeat") link.send(encodeFrame(frame));
        else if (frame.type === "goaway") reconnect.retryWithin(frame.within);
        else options.onFrame(frame, textOf(parsed.payload));
      },
      closed() {
        stopListening();
        if (welcomed === link) welcomed = undefined;
      },
    });
    expectWord();
    options.hello().then(
      (hello) => link.send(encodeFrame({ type: "hello", versions: wireVersions, ...hello })),
      (error: unknown) => {
        options.onError(error, { stage: "hello" });
        link.close();
      },
    );
  }

  async function explain({ milliseconds, reason }: Waiting): Promise<void> {
    const retryAt = environment.date() + milliseconds;
    if (refusal) {
      const { code, message, command } = refusal;
      return onState({ status: "refused", code, message, retryAt, command });
    }
    if (reason instanceof PagewireError) {
      const denied = await environment.localNetworkRefusal();
      if (denied) return onState({ status: "refused", code: "local-network-denied", message: denied, retryAt });
    }
    const why = reason instanceof PagewireError ? `No hub answers at ${hub}.` : "The connection to the hub was lost.";
    onState({
      status: "reconnecting",
      message: `${why} Trying again in ${Math.ceil(milliseconds / 1000)} s.`,
      retryAt,
    });
  }

  return {
    send: (frame, payload) => welcomed?.send(encodeFrame(frame, payload)),
    retryNow: () => reconnect.retryNow(),
    close() {
      stopListening();
      welcomed?.send(encodeFrame({ type: "bye" }));
      reconnect.close();
    },
  };
}
