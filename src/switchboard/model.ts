// What the switchboard knows: tabs, the groups they form, and the calls in flight between callers and tabs.
import type { CloseReason, FrameToPage, Outcome, Payload, Suspension, TabInfo, Tool } from "../wire/index.ts";
import type { CallListener, CallRequest } from "./call-request.ts";
import type { Phase } from "./life.ts";
import type { SharedOffer } from "./offer-pool.ts";
import type { TransientMap } from "./transient-map.ts";

/** How a switchboard reaches a tab: a link on this machine today, another hub some day. */
export interface Delivery {
  send(frame: FrameToPage, payload?: Payload): void;
  close(reason: CloseReason): void;
}

/** Who a tab is, as whoever admitted it found out; nothing here is taken on the page's word alone but its app's name. */
export interface TabIdentity {
  readonly tabId: string;
  readonly principal: string;
  readonly origin: string;
  readonly app: string;
}

/** All that is known of a tab. */
export interface Tab extends Omit<TabIdentity, "app"> {
  /** Counts up with every tab of its principal. */
  place: number;
  app: string;
  title: string;
  url: string;
  state: TabInfo["state"];
  suspension: Suspension | undefined;
  /** Its document is gone, or in the back/forward cache: the next may be another page. */
  hasLeft: boolean;
  /** Counts up with every focus anywhere; zero for a tab that never had it. */
  focusedAt: number;
  lastSeen: number;
  /** What agents are shown. While a reloaded page settles, still what it offered before. */
  offer: SharedOffer | undefined;
  /** What the page itself offers now. */
  actual: SharedOffer | undefined;
  settling: boolean;
  /** The epochs of its page's memory, as far as it says. The last is the one that calls come into now. */
  epochs: readonly string[];
  group: Group | undefined;
  delivery: Delivery | undefined;
  /** Calls that were given to this tab and have not ended. */
  readonly flights: TransientMap<Flight>;
  /** Calls off the end of its grace, or its next heartbeat. */
  stopTimer: () => void;
  stopSettling: () => void;
  /** Calls off the end of calls that nobody waits for any more. */
  stopStrays: () => void;
}

/** The tabs of one app, at one origin, that offer exactly the same. A call needs no search among them. */
export interface Group {
  readonly origin: string;
  readonly app: string;
  readonly offer: SharedOffer;
  readonly size: number;
  add(tab: Tab): void;
  remove(tab: Tab): void;
  /** Must be called when a tab's focus or state changed. */
  update(tab: Tab): void;
  has(tab: Tab): boolean;
  /** The tab that a call goes to when it names none. */
  best(): Tab | undefined;
}

/** Whoever makes calls. Calls of equal identity can be each other's twins. */
export interface Caller {
  readonly identity: string;
  readonly name: string;
  readonly version?: string | undefined;
  /** The tab that this agent's calls go to first, where there is one. */
  readonly boundTab?: () => string | undefined;
  /** Whether it is a program in a terminal: to all others, tools that are for terminals only do not exist. */
  readonly isTerminal?: true;
  inFlight: number;
}

/** A call that was accepted and has not ended. */
export interface Flight {
  readonly id: string;
  readonly caller: Caller;
  /** Without its arguments once nobody can ask for the call again. */
  request: CallRequest;
  /** The name and arguments that the page is given. */
  name: string;
  arguments: Payload;
  /** Another one, if the call still waits when this one turns out to be gone. */
  tab: Tab;
  tool: Tool | undefined;
  /** The tab's last epoch when the call was given to it. */
  epoch: string | undefined;
  readonly startedAt: number;
  readonly deadline: number;
  phase: Phase;
  /** Set at its end; without its payload once nobody can ask for it again. */
  outcome: Outcome | undefined;
  readonly listeners: Set<CallListener>;
  /** Those of them that joined later, and so are given a replay, each with the request that it came with. */
  joined: Map<CallListener, CallRequest> | undefined;
  stopDeadline: () => void;
  stopCut: () => void;
}
