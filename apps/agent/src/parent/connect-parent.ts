// Joins the page that opened this window with the hub: the hub's model uses the page's tools, and the page's words come
// into the conversation.
import { ParentLink } from "pagewire/agent-window";
import type { InjectedMessage, ParentLinkOptions, ParentLinkState } from "pagewire/agent-window";
import { connectSocket, systemClock } from "pagewire/link";
import type { Clock, Link } from "pagewire/link";
import { createListeners } from "pagewire/toolbox";
import type { Listeners } from "pagewire/toolbox";
import { PagewireError, defaultLimits } from "pagewire/wire";
import type { Session } from "../../../common/src/session/session.ts";
import { createAllowedOrigins } from "./allowed-origins.ts";
import { createHubRelay } from "./hub-relay.ts";
import type { HubRelay, RelayPowers, ParentState } from "./hub-relay.ts";

export type { ParentState } from "./hub-relay.ts";

/** The parent page's progress with a call, by the id under which the conversation shows it. */
export interface ToolProgress {
  readonly toolCallId: string;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The page that opened this window, and its connection to the hub. */
export interface Parent {
  readonly state: ParentState;
  onState(listener: (state: ParentState) => void): () => void;
  /** Messages that the page injects. Early ones are queued for the first listener. */
  onInject(listener: (injected: InjectedMessage) => void): () => void;
  onProgress(listener: (progress: ToolProgress) => void): () => void;
  /** Offers the page's tools in a conversation, even if another window has it. */
  attach(conversation: string, options: { readonly otherTabs: boolean | string }): void;
  /** The hub is back: pending retries happen now. */
  retryNow(): void;
  close(): void;
}

/** The browser, injected. */
export interface ParentPowers {
  readonly clock: Clock;
  readonly random: () => number;
  createLink(options: ParentLinkOptions): Pick<ParentLink, "state" | "tools" | "callTool" | "checkOrigin" | "close">;
  openSocket(conversation: string, token: string): Promise<Link>;
  afterMessages: RelayPowers["afterMessages"];
  /** Calls when the network may be back. */
  onWoken(listener: () => void): () => void;
}

/** Max queued messages without a listener. */
const mostWaiting = 16;

/** Speaks with the page that opened this window, from now on; with the hub from the first `attach`. */
export function connectParent(session: Session, powers: ParentPowers = browserPowers): Parent {
  const { clock, random } = powers;
  const states = createListeners<ParentState>((error) => reportError(error));
  const injections = createWaitingListeners<InjectedMessage>(mostWaiting);
  const progresses = createListeners<ToolProgress>((error) => reportError(error));
  const origins = createAllowedOrigins(session, { clock, changed });
  let attached: { readonly conversation: string; otherTabs: boolean | string; readonly relay: HubRelay } | undefined;

  const link = powers.createLink({
    allowedOrigins: () => origins.current,
    onStateChange: update,
    onTools: update,
    onInjectMessage: injections.tell,
    onProgress(progress) {
      const toolCallId = attached?.relay.progress(progress);
      const { callId: _, ...rest } = progress;
      if (toolCallId !== undefined) progresses.tell({ toolCallId, ...rest });
    },
    onError: (error) => console.warn(error),
  });

  function changed(areOthers: boolean): void {
    link.checkOrigin();
    if (areOthers) retryNow();
  }

  function update(): void {
    origins.hurry(link.state.kind === "refused");
    if (attached) attached.relay.offer(offerOf(attached.conversation, attached.otherTabs));
    states.tell(stateNow());
  }

  function stateNow(): ParentState {
    const { state, tools } = link;
    if (state.kind === "none" && attached) return { ...state, relay: attached.relay.state };
    if (state.kind !== "connected") return state;
    return { ...state, tools, relay: attached?.relay.state ?? "waiting" };
  }

  function offerOf(conversation: string, otherTabs: boolean | string): object {
    const { state, tools } = link;
    const offer = { session_id: conversation, tools, origin: originOf(state), other_tabs: otherTabs };
    // A window without an app does not take a conversation from a window that has one.
    return state.kind === "none" ? { ...offer, yields: true } : offer;
  }

  function createRelay(conversation: string, otherTabs: boolean | string): HubRelay {
    return createHubRelay({
      conversation,
      link,
      clock,
      random,
      offer: offerOf(conversation, otherTabs),
      openSocket: async () => powers.openSocket(conversation, await session.bearer()),
      afterMessages: powers.afterMessages,
      postOffer: (offer) => session.request("POST", "/api/parent-window/tools", offer).catch(refused),
      originRefused: origins.refresh,
      changed: () => states.tell(stateNow()),
    });
  }

  function refused(error: unknown): never {
    if (PagewireError.isInstance(error) && error.code === "origin-not-allowed") origins.refresh();
    throw error;
  }

  const retryNow = (): void => attached?.relay.retryNow();
  const stopListening = powers.onWoken(retryNow);

  return {
    get state() {
      return stateNow();
    },
    onState: states.add,
    onInject: injections.add,
    onProgress: progresses.add,
    attach(conversation, { otherTabs }) {
      if (attached?.conversation === conversation && attached.relay.state !== "replaced") {
        attached.otherTabs = otherTabs;
        return attached.relay.offer(offerOf(conversation, otherTabs));
      }
      attached?.relay.close();
      attached = { conversation, otherTabs, relay: createRelay(conversation, otherTabs) };
      states.tell(stateNow());
    },
    retryNow,
    close() {
      stopListening();
      origins.close();
      attached?.relay.close();
      link.close();
      states.clear();
      injections.clear();
      progresses.clear();
    },
  };
}

/** Listeners that miss nothing: events wait for the first of them, `most` at the most. */
function createWaitingListeners<Event>(most: number): Listeners<Event> {
  const listeners = createListeners<Event>((error) => reportError(error));
  const waiting: Event[] = [];
  let isHeard = false;
  return {
    tell(event) {
      if (isHeard) listeners.tell(event);
      else if (waiting.length < most) waiting.push(event);
      else reportError(new Error(`More than ${most} messages came before anybody could take them: one is dropped.`));
    },
    add(listener) {
      const remove = listeners.add(listener);
      isHeard = true;
      for (const event of waiting.splice(0)) listeners.tell(event);
      return remove;
    },
    clear: listeners.clear,
  };
}

/** The origin of the link's tools: for a parent that was reloaded or is silent, the previous one. */
function originOf(state: ParentLinkState): string | null {
  return state.kind === "none" || state.kind === "refused" ? null : (state.origin ?? null);
}

const browserPowers: ParentPowers = {
  clock: systemClock,
  random: Math.random,
  createLink: (options) => new ParentLink(options),
  openSocket: openWindowSocket,
  afterMessages: createAfterMessages(),
  onWoken(listener) {
    addEventListener("online", listener);
    addEventListener("focus", listener);
    return () => {
      removeEventListener("online", listener);
      removeEventListener("focus", listener);
    };
  },
};

/** A message to itself arrives after the queued ones, also in a hidden window, where timers are throttled. */
function createAfterMessages(): RelayPowers["afterMessages"] {
  const waiting: (() => void)[] = [];
  let port: MessagePort | undefined;
  const runAll = (): void => {
    for (const run of waiting.splice(0)) run();
  };
  return (run) => {
    if (!port) {
      const { port1, port2 } = new MessageChannel();
      port = port1;
      port2.addEventListener("message", runAll);
      port2.start();
      addEventListener("pagehide", runAll);
    }
    waiting.push(run);
    port.postMessage(null);
  };
}

/** The max total size of the answers of all concurrent calls. */
const queuedBytes = defaultLimits.callsPerTab * defaultLimits.frameBytes;

/** Opens the socket on which the hub calls the tools of the page that opened this window. */
function openWindowSocket(conversation: string, token: string): Promise<Link> {
  const url = new URL(`/ws/parent-window/${encodeURIComponent(conversation)}`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  return connectSocket({
    url: url.href,
    WebSocket,
    // The hub chooses the first, which would repeat the token otherwise.
    protocols: ["pagewire.window.1", `pagewire.bearer.${token}`],
    limits: { queuedBytes },
  });
}
