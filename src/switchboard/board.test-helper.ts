import { randomUUID } from "node:crypto";
import { createCallPolicy } from "../policy/index.ts";
import type { Policy } from "../policy/index.ts";
import { createFakeClock } from "../testing/index.ts";
import type {
  AskMethod,
  CloseReason,
  FrameFromPage,
  FrameToPage,
  JsonObject,
  Limits,
  Offer,
  Outcome,
  Payload,
  Tool,
} from "../wire/index.ts";
import { defaultLimits, textOf } from "../wire/index.ts";
import type { KeyLedger } from "./key-ledger.ts";
import { otherOffers } from "./other-offers.ts";
import { createCallEnds } from "./call-ends.ts";
import { createInParts } from "./result-parts.ts";
import type { CallHandle, CallRequest, CallTimes } from "./types.ts";
import { createPolicyGate } from "./policy-gate.ts";
import { createReturns } from "./returns.ts";
import { createSwitchboard } from "./switchboard.ts";
import type { AgentSession, Switchboard } from "./switchboard.ts";
import type { TabSession } from "./tab-keeper.ts";
import { createWrittenKeys } from "./written-keys.ts";

/** No pause before a possible duplicate: tests of other features make equal calls on purpose. */
const limits: Limits = { ...defaultLimits, twinPause: 0 };

export type Sent = FrameToPage & { readonly payload: string };
type SentCall = Extract<Sent, { type: "call" }>;

/** A page that a test plays by hand. */
export interface TestPage {
  readonly tabId: string;
  readonly sent: readonly Sent[];
  readonly calls: readonly SentCall[];
  readonly closings: readonly CloseReason[];
  readonly session: TabSession;
  say(frame: FrameFromPage, payload?: Payload): void;
  offer(...tools: readonly Tool[]): void;
  /** For the newest call, unless an id is given. */
  ack(id?: string): void;
  answer(text: string, id?: string): void;
  fail(failure: Partial<Extract<FrameFromPage, { type: "failure" }>>): void;
  lose(how: "gone" | "cut"): void;
}

/** A call as its caller sees it. */
export interface TestCall {
  readonly handle: CallHandle;
  /** All events that the caller received, in order. */
  readonly heard: readonly unknown[];
  readonly outcomes: readonly Outcome[];
  /** The one outcome: outcome, ran, payload as text, replay and code, if set. */
  readonly end: JsonObject | undefined;
}

export interface TestAgent {
  readonly session: AgentSession;
  call(name: string, request?: Partial<CallRequest>): TestCall;
}

interface PageOptions {
  readonly tabId?: string;
  readonly principal?: string;
  readonly origin?: string;
  readonly app?: string;
  readonly title?: string;
  readonly url?: string;
  readonly focused?: boolean;
  readonly running?: readonly string[];
  readonly approves?: boolean;
  /** Its memory; by default a page comes back with the memory that it had. */
  readonly epochs?: readonly string[] | undefined;
  /** Its offer on arrival; undefined for none yet. */
  readonly tools?: readonly Tool[];
}

interface AgentOptions {
  readonly principal?: string;
  readonly identity?: string;
  readonly asks?: readonly AskMethod[];
  readonly boundTab?: string;
  readonly isTerminal?: true;
}

/** A call's end, as an audit log receives it. */
interface Ended {
  readonly agent: string;
  readonly name: string;
  readonly tab: string | undefined;
  readonly end: JsonObject;
}

export interface TestBoard {
  /** Of all calls, in order. */
  readonly ended: readonly Ended[];
  /** How long each of them had waited, and when its steps happened. */
  readonly times: readonly (Partial<CallTimes> & { readonly waited?: number | undefined })[];
  /** The answers to pages' questions. */
  readonly questions: readonly unknown[];
  readonly clock: ReturnType<typeof createFakeClock> & { unread(): number };
  readonly switchboard: Switchboard;
  page(options?: PageOptions): TestPage;
  agent(options?: AgentOptions): TestAgent;
}

interface BoardParts {
  readonly ledger?: KeyLedger;
  readonly policy?: Policy;
}

/** A switchboard under a clock that stands still; with an earlier run, a ledger and a policy if given. */
export function createBoard(
  given: Partial<Limits> = {},
  earlierEnd?: number,
  { ledger, policy }: BoardParts = {},
): TestBoard {
  const clock = Object.assign(createFakeClock(), { unread: () => 0 });
  const ended: Ended[] = [];
  const times: TestBoard["times"][number][] = [];
  const questions: unknown[] = [];
  let ids = 0;
  let pages = 0;
  const switchboard = createSwitchboard({
    clock,
    // A ledger outlives its hubs, whose ids must not repeat.
    newId: () => `${ledger ? randomUUID() : ""}call-${++ids}`,
    isoTime: (at) => new Date(at).toISOString(),
    others: otherOffers,
    parts: createInParts({ ...limits, ...given }),
    limits: { ...limits, ...given },
    ends: createCallEnds(
      ({ caller, request, waited = request.waited }, outcome, call) => {
        ended.push({ agent: caller.name, name: request.name, tab: call?.aim.tab.tabId, end: briefly(outcome) });
        times.push({ waited, ...call?.times });
      },
      ({ aim }, method, answer) => questions.push([aim.name, method, answer]),
      clock.now,
    ),
    returns:
      earlierEnd === undefined
        ? undefined
        : createReturns({ clock, limits: { ...limits, ...given }, earlierEnd, keysAreKnown: ledger !== undefined }),
    keys: ledger && createWrittenKeys(ledger),
    ...(policy && {
      gate: createPolicyGate({
        policy: createCallPolicy(clock.now, policy),
        clock,
        limits: { ...limits, ...given },
      }),
    }),
  });
  return {
    ended,
    times,
    questions,
    clock,
    switchboard,
    page: (options = {}) => attachPage(switchboard, { tabId: `tab-${++pages}`, ...options }),
    agent: (options) => attachAgent(switchboard, options),
  };
}

function attachPage(switchboard: Switchboard, options: PageOptions & { readonly tabId: string }): TestPage {
  const { tabId, principal = "local", origin = "https://shop.example", app = "shop", tools, ...greeting } = options;
  const sent: Sent[] = [];
  const closings: CloseReason[] = [];
  const session = switchboard.attach(
    { tabId, principal, origin, app },
    { focused: false, running: [], epochs: ["epoch"], ...greeting },
    {
      send: (frame, payload = "") => sent.push({ ...frame, payload: textOf(payload) }),
      close: (reason) => closings.push(reason),
    },
  );
  const calls = () => sent.filter((frame): frame is SentCall => frame.type === "call");
  const newest = () => calls().at(-1)?.id ?? "";
  const say = (frame: FrameFromPage, payload: Payload = "") => session.receive(frame, payload);
  const page: TestPage = {
    tabId,
    sent,
    closings,
    session,
    say,
    get calls() {
      return calls();
    },
    offer: (...offered) => say({ type: "offer" }, JSON.stringify(offerWith(...offered))),
    ack: (id = newest()) => say({ type: "ack", id }),
    answer: (text, id = newest()) => say({ type: "result", id }, text),
    fail: (failure) =>
      say({
        type: "failure",
        id: newest(),
        outcome: "tool-error",
        ran: "yes",
        code: "handler-failed",
        message: "",
        ...failure,
      }),
    lose: (how) => session.lost(how),
  };
  if (tools) page.offer(...tools);
  return page;
}

function attachAgent(switchboard: Switchboard, options: AgentOptions = {}): TestAgent {
  const { principal = "local", identity = "agent", asks = [], boundTab, isTerminal } = options;
  const session = switchboard.agent({
    principal,
    identity,
    name: identity,
    ...(boundTab === undefined ? {} : { boundTab: () => boundTab }),
    ...(isTerminal && { isTerminal }),
  });
  return {
    session,
    call(name, request = {}) {
      const heard: unknown[] = [];
      const outcomes: Outcome[] = [];
      const handle = session.call(
        { method: "tools/call", name, arguments: "{}", asks, ...request },
        {
          ended(outcome) {
            outcomes.push(outcome);
            heard.push(["ended", outcome.outcome]);
          },
          acked: (tabId) => heard.push(["acked", tabId]),
          progress: (...progress) => heard.push(["progress", ...progress]),
          log: (level, data, logger) => heard.push(["log", level, textOf(data), logger]),
          ...(asks.length === 0
            ? {}
            : {
                ask: (ask: string, method: AskMethod, parameters: Payload) =>
                  void heard.push(["ask", ask, method, textOf(parameters)]),
              }),
        },
      );
      return {
        handle,
        heard,
        outcomes,
        get end() {
          return outcomes[0] && briefly(outcomes[0]);
        },
      };
    },
  };
}

/** An outcome without its message. */
function briefly({ outcome, ran, payload, replay, code, notSaved }: Outcome): JsonObject {
  return {
    outcome,
    ran,
    ...(payload === undefined ? {} : { payload: textOf(payload) }),
    ...(code === undefined ? {} : { code }),
    ...(replay ? { replay } : {}),
    ...(notSaved ? { notSaved } : {}),
  };
}

/** A tool; `more` overrides its fields. */
export function tool(name: string, more: Partial<Tool> = {}): Tool {
  return { name, description: `The tool ${name}.`, inputSchema: { type: "object" }, ...more };
}

export function offerWith(...tools: readonly Tool[]): Offer {
  return { tools, resources: [], resourceTemplates: [], prompts: [] };
}
