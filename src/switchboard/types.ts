// The types of the switchboard: requests of agents, tabs, their groups, and calls in flight.
import type { PolicyRule } from "../policy/index.ts";
import type {
  AskMethod,
  CallMethod,
  CloseReason,
  ErrorCode,
  FrameFromPage,
  FrameToPage,
  LogLevel,
  Outcome,
  Payload,
  Ran,
  Suspension,
  TabInfo,
  TokenBudgets,
  Tool,
  TraceContext,
} from "../wire/index.ts";
import type { Phase } from "./call-life.ts";
import type { Written } from "./key-ledger.ts";
import type { SharedOffer } from "./offers.ts";

/** One use of a tool, resource, prompt or completion by an agent. */
export interface CallRequest {
  readonly method: CallMethod;
  /** The name or URI that this agent was shown. */
  readonly name: string;
  /** A JSON object as text or bytes; it is forwarded unchanged. */
  readonly arguments: Payload;
  readonly tab?: string | undefined;
  /** Whether the name is the tab's own, even if the list uses it for another tool. */
  readonly isOwnName?: true | undefined;
  /** A repeated key gets the same outcome, never a second run. */
  readonly key?: string | undefined;
  /** Milliseconds until the call's deadline. */
  readonly left?: number | undefined;
  /** The questions that the page may ask this caller. */
  readonly asks?: readonly AskMethod[] | undefined;
  /** Whether the caller accepts an input_required result, and calls again with the answers. */
  readonly rounds?: boolean | undefined;
  /** These answers: JSON text of an object with `inputResponses` and `requestState`. */
  readonly input?: string | undefined;
  /** For audit records: the person or policy that allowed the call, if any. */
  readonly decidedBy?: string | undefined;
  /** For audit records: how many milliseconds a person had been asked about the call before it was made. */
  readonly waited?: number | undefined;
  /** The use that its user was asked about, and allowed. */
  readonly allowed?: AllowedUse | undefined;
  readonly requestId?: string | number | undefined;
  /** The caller's position in a trace, for the page. */
  readonly trace?: TraceContext | undefined;
  /** Why no new call may begin now, if so. A call that repeats another gets its outcome all the same. */
  readonly refusal?: Outcome | undefined;
}

/** The tool, resource or prompt that a user allowed, as it was then. */
export interface AllowedUse extends Pick<TabIdentity, "origin" | "app"> {
  readonly name: string;
  readonly tool?: Tool | undefined;
}

/** Receives the events of a call. `ended` comes exactly once and last, never before `call` has returned. */
export interface CallListener {
  ended(outcome: Outcome): void;
  acked?(tabId: string): void;
  progress?(progress: number, total: number | undefined, message: string | undefined): void;
  log?(level: LogLevel, data: Payload, logger: string | undefined): void;
  /** A question about a call, of its page or the policy; only for a caller that declared that it can ask. */
  ask?(ask: string, method: AskMethod, parameters: Payload, about?: Aim): void;
  /** The question was answered elsewhere. */
  answered?(ask: string): void;
  /** The page asks the person in front of it, or has no open question any more. */
  askedInPage?(isAsked: boolean): void;
}

/** The caller's answer to a question, or why there is none. */
export type CallAnswer = { readonly payload: Payload } | { readonly code: ErrorCode; readonly message: string };

export interface CallHandle {
  readonly id: string;
  /** The caller does not need it any more: it ends as cancelled, and the handler's signal is aborted. */
  cancel(reason?: string): void;
  /** The caller's connection is lost, perhaps before the outcome arrived; it may come back and ask again. */
  cut(): void;
  /** The outcome has reached the caller, which will not ask again: it need not be kept. */
  received(): void;
  answer(ask: string, answer: CallAnswer): void;
}

/** A switchboard's connection to a tab: today a link on this machine, perhaps another hub one day. */
export interface Delivery {
  send(frame: FrameToPage, payload?: Payload): void;
  close(reason: CloseReason): void;
}

/** A tab's authenticated identity; only the app's name is the page's own claim. */
export interface TabIdentity {
  readonly tabId: string;
  readonly principal: string;
  readonly origin: string;
  readonly app: string;
  /** Whether its page has a socket of its own, as by default, or one that a worker shares among pages. */
  readonly via?: "socket" | "shared-socket";
  /** Lower limits for its page than for others. */
  readonly allowed?: TokenBudgets | undefined;
  /** The name of the browser whose extension speaks for the page, if one does. */
  readonly browser?: string | undefined;
  /** The hub that its page is connected to, if that is another one. */
  readonly hub?: string | undefined;
}

export interface Tab extends Pick<TabIdentity, "tabId" | "principal" | "origin"> {
  app: string;
  /** Its page, as it was attached last. */
  identity: TabIdentity;
  connectedAt: number;
  title: string;
  /** Without its query and fragment. */
  url: string;
  state: TabInfo["state"];
  suspension: Suspension | undefined;
  /** Its document is gone or in the back/forward cache: the next may be another page. */
  hasLeft: boolean;
  /** Whether its page can ask the person in front of it whether a call may run. */
  approves: boolean;
  /** Increases with every focus of any tab; zero for a tab that never had it. */
  focusedAt: number;
  lastSeen: number;
  /** The offer that agents see. While a reloaded page settles, this is still the earlier one. */
  offer: SharedOffer | undefined;
  /** The page's current offer. */
  actual: SharedOffer | undefined;
  settling: boolean;
  /** The epochs of its page's memory, as the page reports them. New calls belong to the last. */
  epochs: readonly string[];
  group: Group | undefined;
  delivery: Delivery | undefined;
  /**
   * Calls that were sent to this tab and have not ended, by id. Not a Map: V8 links each table that a Map has outgrown to the
   * next, and once one of this chain is old, only a full garbage collection frees them. An object has no such chain.
   */
  readonly calls: Record<string, Call>;
  /** The number of `calls`. */
  inFlight: number;
  /** Cancels the end of its grace time, or its next heartbeat. */
  stopTimer: (() => void) | undefined;
  stopSettling: (() => void) | undefined;
  /** Cancels the timer that ends orphaned calls. */
  stopOrphans: (() => void) | undefined;
}

/** The tabs of one app and origin with equal offers. A call may go to any of them. */
export interface Group {
  readonly origin: string;
  readonly app: string;
  readonly offer: SharedOffer;
  readonly size: number;
  add(tab: Tab): void;
  remove(tab: Tab): void;
  /** Call this when a tab's focus or state changed. */
  update(tab: Tab): void;
  has(tab: Tab): boolean;
  /** The tab for a call that names none. */
  best(): Tab | undefined;
}

/** The maker of calls. Two calls are duplicates only if their callers have the same identity. */
export interface Caller {
  readonly principal: string;
  readonly identity: string;
  readonly name: string;
  readonly version?: string | undefined;
  readonly door?: string | undefined;
  /** For a client of MCP: its protocol revision, and its session if it has one. */
  readonly revision?: string | undefined;
  readonly session?: string | undefined;
  /** The tab that this agent's calls go to first, if any. */
  readonly boundTab?: () => string | undefined;
  /** Whether it is a program in a terminal. Other callers never see tools for terminals only. */
  readonly isTerminal?: true;
  /** Lower limits than for others. */
  readonly allowed?: TokenBudgets | undefined;
  /** Throws for a tool that it may not use now. */
  readonly checkTool?: ((tool: Pick<Tool, "annotations"> | undefined) => void) | undefined;
  /** The outcome for a call that it may not make: it neither joins an earlier one nor gets its outcome. */
  readonly bars?: ((found: Route) => Outcome | undefined) | undefined;
  inFlight: number;
}

/** The tab of a call, and the request for its page. */
export interface Aim {
  readonly tab: Tab;
  readonly name: string;
  readonly arguments: Payload;
  readonly tool?: Tool;
  /** The rule of the hub's policy that matches the call, if any. */
  readonly rule?: PolicyRule;
}

/** The tab of a call, or the outcome of a call that goes to none: its refusal, or a result that is here already. */
export type Route = Aim | (Pick<Aim, "rule"> & { readonly outcome: Outcome });

/** The route of a call now, within the limits. With `waits` a tab that returns may change it, so the call waits for that. */
export type Decision = Aim | (Pick<Aim, "rule"> & { readonly outcome: Outcome; readonly waits?: true });

/** The progress of a call before it had to wait: `begin` continues from it. */
export interface Stage {
  /** It has waited: for an equal call, its tab, the ledger or its user's consent. It does not wait for an equal call again. */
  readonly isLate?: boolean;
  /** The limit on the rate of calls has counted it. By default so it is, if it waited; for an equal call it waits uncounted. */
  readonly isCounted?: boolean;
  /** The ledger's entry for its key, or that there is none; undefined before it was looked up. */
  readonly written?: Written | "nothing";
}

export interface Asked {
  readonly caller: Caller;
  readonly request: CallRequest;
  readonly listener: CallListener;
}

/** Continues a call that had to wait. */
export type Again = (asked: Asked, stage?: Stage) => CallHandle;

export interface Waiter {
  readonly listener: CallListener;
  /** The questions that the page may ask this caller. */
  readonly asks: readonly AskMethod[] | undefined;
  /** Whether it joined a call of another caller. */
  readonly isReplay: boolean;
}

/**
 * When the steps of a call happened, in tenths of a millisecond since its acceptance: small integers, because V8 allocates
 * an object for each other number in a field. -1 for what has not happened.
 */
export interface CallTimes {
  sent: number;
  /** When it was last sent again, after its tab had been cut off. */
  resent: number;
  acked: number;
  /** The number of reports of progress, and when the first and the last came. */
  reports: number;
  firstReport: number;
  lastReport: number;
  /** The number of the page's questions, when the first was asked, and when the last was answered. */
  questions: number;
  firstQuestion: number;
  lastAnswer: number;
}

/** An accepted call. Only the call table changes it. */
export interface Call {
  readonly id: string;
  readonly caller: Caller;
  /** Without its arguments once the call can no longer be repeated. */
  request: CallRequest;
  /** Replaced if the call still waits when its tab is gone; without arguments like the request. */
  aim: Aim;
  /** The tab's last epoch when the call was sent. */
  epoch: string | undefined;
  readonly startedAt: number;
  readonly deadline: number;
  phase: Phase;
  /** The length of its arguments. */
  readonly bytes: number;
  /** Set at its end; without its payload once the call can no longer be repeated. */
  outcome: Outcome | undefined;
  /** In the order of arrival. */
  readonly waiters: Waiter[];
  /** The ledger's entry for its key, if there is a ledger; and the pending write of a new one. */
  written: Written | undefined;
  writing: Promise<Written | ((ran: Ran) => Outcome)> | undefined;
  /** Set if the call has no key and must not run again when its caller repeats it. */
  unkeyed: UnkeyedCall | undefined;
  stopCut: (() => void) | undefined;
  /** For audit records. */
  times: CallTimes | undefined;
}

/** Receives what a page says of the questions that it asks the person in front of it, which may be answered elsewhere. */
export type InPageQuestions = (call: Call, frame: FrameFromPage, payload: Payload) => void;

/** A call without a key, as it is compared with equal ones. */
export interface UnkeyedCall {
  readonly key: string;
  readonly call: Call;
  /** Set once its caller was cut off: the next call of this fingerprint takes the caller's place. */
  cut: { readonly fingerprint: string; bytes: number; readonly stopTimer: () => void } | undefined;
}
