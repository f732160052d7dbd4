// The words of the switchboard: calls as agents ask for them, tabs, the groups they form, and the calls in flight between.
import type { Clock } from "../link/index.ts";
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

/** Time, of a process that may stand still while calls come. */
export interface CallClock extends Clock {
  /** How long a call that is read now may have lain unread, in milliseconds. */
  unread?(): number;
}

/** One use of a tool, resource, prompt or completion, as an agent asks for it. */
export interface CallRequest {
  readonly method: CallMethod;
  /** The name, or URI, as this agent was shown it. */
  readonly name: string;
  /** A JSON object, as text or bytes; it is passed on as it is. */
  readonly arguments: Payload;
  readonly tab?: string | undefined;
  /** Whether the name is what the tab itself calls it, whatever the list does. */
  readonly isOwnName?: true | undefined;
  /** The same key again is given the same outcome, never a second run. */
  readonly key?: string | undefined;
  /** Milliseconds that the call may take. */
  readonly left?: number | undefined;
  /** What the page may ask this call's caller. */
  readonly asks?: readonly AskMethod[] | undefined;
  /** Whether the caller takes an input_required result, and calls again with the answers. */
  readonly rounds?: boolean | undefined;
  /** Such answers: JSON text of an object with `inputResponses` and `requestState`. */
  readonly input?: string | undefined;
  /** Who or what allowed it, where somebody was asked or had decided: for whoever keeps records. */
  readonly decidedBy?: string | undefined;
  /** What its user was shown when asked, and allowed. */
  readonly allowed?: AllowedUse | undefined;
  /** What a client of MCP calls its request. */
  readonly requestId?: string | number | undefined;
  /** Where its caller is in a trace, for the page. */
  readonly trace?: TraceContext | undefined;
  /** Why no new call may begin now, if so. One that repeats another is answered all the same. */
  readonly refusal?: Outcome | undefined;
}

/** The tool, resource or prompt that a user allowed the use of, as it was then. */
export interface AllowedUse extends Pick<TabIdentity, "origin" | "app"> {
  readonly name: string;
  readonly tool?: Tool | undefined;
}

/** What a caller hears. `ended` comes exactly once, never before `call` has returned, and last. */
export interface CallListener {
  ended(outcome: Outcome): void;
  acked?(tabId: string): void;
  progress?(progress: number, total: number | undefined, message: string | undefined): void;
  log?(level: LogLevel, data: Payload, logger: string | undefined): void;
  /** A question of the page's; only for a caller that said it can ask. */
  ask?(ask: string, method: AskMethod, parameters: Payload): void;
}

/** The caller's answer to a question, or why there is none. */
export type CallAnswer = { readonly payload: Payload } | { readonly code: ErrorCode; readonly message: string };

/** A call in the hands of its caller. */
export interface CallHandle {
  readonly id: string;
  /** The caller does not want it any more: it ends as cancelled, and the handler's signal is aborted. */
  cancel(reason?: string): void;
  /** The caller's connection is gone, perhaps before the outcome reached it; it may come back and ask again. */
  cut(): void;
  /** The outcome has reached the caller, which will not come back for it: it need not be kept. */
  received(): void;
  answer(ask: string, answer: CallAnswer): void;
}

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
  /** What its page may have less of than others. */
  readonly allowed?: TokenBudgets | undefined;
}

/** All that is known of a tab. */
export interface Tab extends Omit<TabIdentity, "app" | "allowed"> {
  app: string;
  allowed: TokenBudgets | undefined;
  title: string;
  /** Without its query and fragment. */
  url: string;
  state: TabInfo["state"];
  suspension: Suspension | undefined;
  /** Its document is gone, or in the back/forward cache: the next may be another page. */
  hasLeft: boolean;
  /** Its page can ask the person in front of it whether a call may run. */
  approves: boolean;
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
  /**
   * Calls that were given to this tab and have not ended, by their ids. In a Map they would not quite go: V8 links each
   * table that a Map has outgrown to the next one, and once one of them is old, nothing on that chain is let go of until
   * the next full garbage collection. An object that serves as a table has no such chain.
   */
  readonly calls: Record<string, Call>;
  /** How many they are. */
  inFlight: number;
  /** Calls off the end of its grace, or its next heartbeat. */
  stopTimer: (() => void) | undefined;
  stopSettling: (() => void) | undefined;
  /** Calls off the end of calls that nobody waits for any more. */
  stopOrphans: (() => void) | undefined;
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

/** The maker of calls. Two calls are only duplicates if their callers have the same identity. */
export interface Caller {
  readonly principal: string;
  readonly identity: string;
  readonly name: string;
  readonly version?: string | undefined;
  /** The way that it came in. */
  readonly door?: string | undefined;
  /** Of a client of MCP: the revision that it speaks, and its session where it has one. */
  readonly revision?: string | undefined;
  readonly session?: string | undefined;
  /** The tab that this agent's calls go to first, where there is one. */
  readonly boundTab?: () => string | undefined;
  /** Whether it is a program in a terminal: to all others, tools that are for terminals only do not exist. */
  readonly isTerminal?: true;
  /** What it may have less of than others. */
  readonly allowed?: TokenBudgets | undefined;
  inFlight: number;
}

/** Where a call goes, and what the page is to be given. */
export interface Aim {
  readonly tab: Tab;
  readonly name: string;
  readonly arguments: Payload;
  readonly tool?: Tool;
  /** The rule of the hub's policy that fits the call, where one does. */
  readonly rule?: PolicyRule;
}

/** Where a call goes, or the outcome that it has without going anywhere. */
export type Route = Aim | (Pick<Aim, "rule"> & { readonly outcome: Outcome });

/** Where a call goes now, or why it does not, and whether it is to wait for its tab then. */
export type Decision = Aim | (Pick<Aim, "rule"> & { readonly outcome: Outcome; readonly waits?: true });

/** How far a call has come that does not begin at once. */
export interface Stage {
  /** It has waited already, for an equal one, its tab or the ledger. */
  readonly isLate?: boolean;
  /** It was counted among the calls of its principal when it came, as those that waited were, but for an equal one. */
  readonly isCounted?: boolean;
  /** What the ledger has of its key, if it was asked. */
  readonly written?: Written | "nothing";
}

/** What a caller asks for. */
export interface Asked {
  readonly caller: Caller;
  readonly request: CallRequest;
  readonly listener: CallListener;
}

/**
 * Is given each call's outcome once, as its page gave it, before anything of it is let go of: also of one that goes nowhere,
 * and of one that repeats another. The call is undefined where none was begun, or none is kept.
 */
export type OnEnded = (asked: Pick<Asked, "caller" | "request">, outcome: Outcome, call: Call | undefined) => void;

/** Is given what became of each question that a page asked during a call; undefined where nobody answered before its end. */
export type OnQuestion = (call: Call, method: AskMethod, answer: CallAnswer | undefined) => void;

/** How the ends of calls, and of what pages ask during them, are told to who records them. */
export interface CallEnds {
  readonly ended: OnEnded;
  /** What was asked, where its outcome is that of another call or comes before it begins: its end is told as well. */
  told(asked: Asked, call?: Call): Asked;
  asked(call: Call, question: Pick<Extract<FrameFromPage, { type: "ask" }>, "ask" | "method">): void;
  answered(call: Call, ask: string, answer: CallAnswer): void;
}

/** Has a call go on that had to wait. */
export type Again = (asked: Asked, stage?: Stage) => CallHandle;

/** A caller that waits for a call. */
export interface Waiter {
  readonly listener: CallListener;
  /** What the page may ask this one. */
  readonly asks: readonly AskMethod[] | undefined;
  /** Whether it joined a call that another one began. */
  readonly isReplay: boolean;
}

/** A call that was accepted. Only the call table changes it. */
export interface Call {
  readonly id: string;
  readonly caller: Caller;
  /** Without its arguments once nobody can ask for the call again. */
  request: CallRequest;
  /** A new one where the call still waits when its tab is gone; without arguments as the request. */
  aim: Aim;
  /** The tab's last epoch when the call was given to it. */
  epoch: string | undefined;
  readonly startedAt: number;
  readonly deadline: number;
  phase: Phase;
  /** How long its arguments are. */
  readonly bytes: number;
  /** Set at its end; without its payload once nobody can ask for it again. */
  outcome: Outcome | undefined;
  /** The last is the one that came last. */
  readonly waiters: Waiter[];
  /** For which tab its key is written down, where there is a ledger; and for which it is being written now. */
  written: Written | undefined;
  writing: Promise<Written | ((ran: Ran) => Outcome)> | undefined;
  /** Set where the call has no key and must not run again when its caller sends it again. */
  unkeyed: UnkeyedCall | undefined;
  stopCut: (() => void) | undefined;
}

/** A call without a key, as an equal one is compared with it. */
export interface UnkeyedCall {
  readonly key: string;
  readonly call: Call;
  /** Only once its caller was cut off: the next call of this fingerprint takes the caller's place. */
  cut: { readonly fingerprint: string; bytes: number; readonly stopTimer: () => void } | undefined;
}
