// Relays between the hub and the parent page for one conversation: registers the tools with the hub, which calls them
// over a socket that reconnects whenever it is lost.
import type { CallProgress, ParentLink, WindowTool } from "pagewire/agent-window";
import { createReconnect } from "pagewire/link";
import type { Clock, Link } from "pagewire/link";
import { PagewireError, closeNameOf, createBatch, splitBatch } from "pagewire/wire";
import { createCallRelay } from "./call-relay.ts";
import { createOfferPoster } from "./offer-poster.ts";

/** The browser and the hub, injected. */
export interface RelayPowers {
  readonly clock: Clock;
  readonly random: () => number;
  openSocket(conversation: string): Promise<Link>;
  /** Runs something after the pending messages, or when the window closes. */
  afterMessages(run: () => void): void;
  /** Sends this window's offer to the hub. */
  postOffer(offer: object): Promise<unknown>;
}

export interface HubRelayOptions extends RelayPowers {
  readonly conversation: string;
  readonly link: Pick<ParentLink, "callTool" | "state">;
  /** The window's first offer. */
  readonly offer: object;
  changed(): void;
  /** The hub no longer accepts the page's origin. */
  originRefused(): void;
}

export interface HubRelay {
  /** `replaced` is for good: another window has this conversation. */
  readonly state: RelayState;
  offer(offer: object): void;
  progress(progress: CallProgress): string | undefined;
  retryNow(): void;
  close(): void;
}

export function createHubRelay(options: HubRelayOptions): HubRelay {
  const { conversation, link, clock, random, openSocket, postOffer, afterMessages, changed, originRefused } = options;
  let socket: Link | undefined;
  let state: HubRelay["state"] = "waiting";

  const poster = createOfferPoster({ clock, random, post, told: changed });
  const batch = createBatch((messages) => socket?.send(messages));
  /** A hub that sends batches also accepts them. */
  let isBatching = false;
  let isDue = false;
  const calls = createCallRelay({ link, send });
  poster.want(options.offer);

  function become(next: HubRelay["state"]): void {
    if (state === next) return;
    state = next;
    changed();
  }

  /** Replies of other running calls leave in the same message. */
  function send(text: string): void {
    if (!isBatching) return socket?.send(text);
    batch.add(text);
    if (!calls.isBusy) return batch.flush();
    if (!isDue) afterMessages(flush);
    isDue = true;
  }

  function flush(): void {
    isDue = false;
    batch.flush();
  }

  async function post(offer: object): Promise<void> {
    try {
      await postOffer(offer);
    } catch (error) {
      if (PagewireError.isInstance(error) && error.code === "tab-replaced") leave();
      throw error;
    }
  }

  /** Another window has the conversation. Two windows that take it from each other would never stop. */
  function leave(): void {
    close();
    calls.stop();
    become("replaced");
  }

  function close(): void {
    poster.close();
    reconnect.close();
    socket = undefined;
  }

  const reconnect = createReconnect({
    clock,
    random,
    async connect() {
      await poster.tell();
      return openSocket(conversation);
    },
    onLink(made) {
      // This hub may accept only single messages, and repeats calls whose answers were lost.
      batch.flush();
      socket = made;
      isBatching = false;
      made.send(JSON.stringify({ type: "hello", batches: true }));
      become("open");
      return {
        message(message) {
          const texts = typeof message === "string" ? splitBatch(message) : [];
          isBatching ||= texts.length > 1;
          for (const text of texts) calls.take(text);
        },
        closed({ code }) {
          socket = undefined;
          const why = closeNameOf(code);
          if (why === "origin-not-allowed") originRefused();
          if (why === "tab-replaced") leave();
          else become("waiting");
        },
      };
    },
    onWaiting: () => become("waiting"),
  });

  return {
    get state() {
      // A question now would be answered without the tools that the hub does not have yet.
      return state === "open" && !poster.isCurrent ? "waiting" : state;
    },
    offer: (offer) => poster.want(offer),
    progress: (progress) => calls.progress(progress),
    retryNow: () => reconnect.retryNow(),
    close,
  };
}

/**
 * Whether the hub has this window's offer: `replaced` means that another window of this conversation provides the
 * tools.
 */
type RelayState = "open" | "waiting" | "replaced";

/** The state of the connection to the page that opened this window. */
export type ParentState =
  /** `relay` is there once this window has brought something into a conversation by itself. */
  | { readonly kind: "none"; readonly relay?: RelayState }
  /** The parent has not answered yet; `origin` is the one from before this window was reloaded. */
  | { readonly kind: "waiting"; readonly origin?: string }
  | {
      readonly kind: "connected";
      readonly origin: string;
      readonly tools: readonly WindowTool[];
      readonly via: "port" | "window";
      readonly relay: RelayState;
      /** The page's own title. */
      readonly title?: string;
    }
  | { readonly kind: "refused"; readonly origin: string }
  | { readonly kind: "lost"; readonly origin: string };
