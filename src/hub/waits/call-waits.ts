// Questions about calls in the inbox: those that the caller's client asks its user, and those that a page asks the person in
// front of it.
import type {
  AgentIdentity,
  AgentSession,
  Aim,
  Call,
  CallAnswer,
  CallHandle,
  CallListener,
  CallRequest,
  InPageQuestions,
  Switchboard,
} from "../../switchboard/index.ts";
import { allowQuestion, isJsonObject, parseJsonObject, textOf } from "../../wire/index.ts";
import type { Payload } from "../../wire/index.ts";
import { aboutCall, readQuestion } from "./about-call.ts";
import { sayAnswered } from "./waits.ts";
import type { AnsweredBy, Wait, WaitAnswer, WaitHandle, Waits } from "./wait.ts";

const asksFirst = "The hub's policy wants each such call to be allowed.";
const toolAsks = "The tool asks you for this, and goes on with your answer.";

/** A switchboard whose callers' questions can be answered in the inbox, too. */
export function listCallersQuestions(switchboard: Switchboard, waits: Waits): Switchboard {
  return {
    ...switchboard,
    agent(identity) {
      const session = switchboard.agent(identity);
      const call: AgentSession["call"] = (request, listener) =>
        request.asks?.includes("elicitation/create") && listener.ask
          ? new AskingCaller({ session, identity, waits, request, listener }).handle
          : session.call(request, listener);
      return { ...session, call };
    },
  };
}

interface AskingCallerOptions {
  readonly session: AgentSession;
  readonly identity: AgentIdentity;
  readonly waits: Waits;
  readonly request: CallRequest;
  readonly listener: CallListener;
}

interface OpenQuestion {
  readonly handle: WaitHandle;
  readonly wait: Wait;
}

/** One call of a caller that can be asked: the first answer to each question counts, the caller's or the inbox's. */
class AskingCaller {
  readonly #options: AskingCallerOptions;
  readonly #open = new Map<string, OpenQuestion>();
  /** The inbox's newest answers: later answers of the caller's to these questions count for nothing. */
  readonly #given = new Map<string, CallAnswer>();
  readonly #inner: CallHandle;
  readonly handle: CallHandle;

  constructor(options: AskingCallerOptions) {
    const { session, request, listener } = options;
    this.#options = options;
    const inner = session.call(request, {
      ended: (outcome) => {
        this.#closeAll();
        listener.ended(outcome);
      },
      acked: (tabId) => listener.acked?.(tabId),
      progress: (...values) => listener.progress?.(...values),
      log: (...values) => listener.log?.(...values),
      askedInPage: (isAsked) => listener.askedInPage?.(isAsked),
      ask: (...question) => {
        const [ask, method, parameters, about] = question;
        const given = this.#given.get(ask);
        // The answer was lost with the page's link, and the page has repeated its question.
        if (given) return inner.answer(ask, given);
        if (method === "elicitation/create") this.#add(ask, parameters, about);
        listener.ask?.(...question);
      },
    });
    this.#inner = inner;
    this.handle = {
      get id() {
        return inner.id;
      },
      cancel: (reason) => inner.cancel(reason),
      cut: () => {
        this.#closeAll();
        inner.cut();
      },
      received: () => inner.received(),
      answer: (ask, answer) => {
        if (this.#given.has(ask)) return;
        const { handle, wait } = this.#open.get(ask) ?? {};
        this.#open.delete(ask);
        const isEmpty = wait !== undefined && lacksFields(wait, answer);
        handle?.close("caller", "payload" in answer && !isEmpty ? isYes(ask, answer.payload) : undefined);
        // The page asks its own user then.
        inner.answer(ask, isEmpty ? withoutFields : answer);
      },
    };
  }

  #add(ask: string, parameters: Payload, about: Aim | undefined): void {
    // A page that came back repeats its questions.
    if (this.#open.has(ask)) return;
    const { waits, identity, request, listener } = this.#options;
    const wait = waitFor({ ask, parameters, isApproval: ask === allowQuestion }, aboutCall(identity, request, about));
    if (!wait) return;
    const handle = waits.add(identity.principal, wait, (answer, by) => {
      const given = { payload: elicitationOf(wait, answer) };
      this.#open.delete(ask);
      this.#given.set(ask, given);
      for (const oldest of this.#given.keys()) if (this.#given.size > maxInPage) this.#given.delete(oldest);
      listener.log?.("notice", JSON.stringify(sayAnswered(answer.allow, by)), "pagewire");
      listener.answered?.(ask);
      this.#inner.answer(ask, given);
    });
    this.#open.set(ask, { handle, wait });
  }

  #closeAll(): void {
    for (const { handle } of this.#open.values()) handle.close("nobody");
    this.#open.clear();
    this.#given.clear();
  }
}

/** A page's question, with the answer of the inbox once there is one. */
interface InPageWait {
  readonly handle: WaitHandle;
  answer: { readonly payload: string; readonly message: string } | undefined;
  /** Called when the page has taken that answer, or had one before. */
  confirmed: (answeredBefore?: AnsweredBy) => void;
}

export interface PageQuestions {
  readonly take: InPageQuestions;
  /** The call has ended. */
  ended(call: Call): void;
}

/** The questions that pages ask in front of them. The hub shows what it knows of a call, not what its page says of it. */
export function createPageQuestions(waits: Waits): PageQuestions {
  const calls = new Map<Call, Map<string, InPageWait>>();

  function tell({ waiters }: Call, isAsked: boolean): void {
    for (const { listener } of [...waiters]) listener.askedInPage?.(isAsked);
  }

  function send({ id, aim }: Call, ask: string, { answer }: InPageWait): void {
    if (!answer) return;
    const { payload, message } = answer;
    aim.tab.delivery?.send({ type: "answer", id, ask, message }, payload);
  }

  function asked(call: Call, ask: string, parameters: Payload): void {
    const open = calls.get(call) ?? new Map<string, InPageWait>();
    const known = open.get(ask);
    // The answer may have been lost with the page's link.
    if (known) return send(call, ask, known);
    if (open.size >= maxInPage) return;
    const { caller, request, aim } = call;
    const isApproval = ask === allowQuestion;
    // Only the hub decides which calls are to be approved.
    if (isApproval && (aim.rule?.decision !== "ask" || request.decidedBy === "user")) return;
    const wait = waitFor({ ask, parameters, isApproval }, { ...aboutCall(caller, request, aim), call: call.id });
    if (!wait) return;
    const entry: InPageWait = {
      handle: waits.add(
        caller.principal,
        wait,
        (answer, by) =>
          new Promise((resolve) => {
            entry.answer = { payload: elicitationOf(wait, answer), message: sayAnswered(answer.allow, by) };
            entry.confirmed = resolve;
            // The page is away: it gets the answer when it is back.
            setTimeout(resolve, confirmTime).unref();
            send(call, ask, entry);
          }),
      ),
      answer: undefined,
      confirmed: () => {},
    };
    calls.set(call, open.set(ask, entry));
    tell(call, true);
  }

  function answered(call: Call, ask: string, isTaken: boolean): void {
    const open = calls.get(call);
    const { handle, confirmed } = open?.get(ask) ?? {};
    confirmed?.(isTaken ? undefined : "page");
    handle?.close("page");
    open?.delete(ask);
    if (open?.size !== 0) return;
    calls.delete(call);
    tell(call, false);
  }

  return {
    take(call, frame, payload) {
      if (frame.type === "ask") asked(call, frame.ask, payload);
      else if (frame.type === "answered") answered(call, frame.ask, frame.code === undefined);
    },
    ended(call) {
      if (calls.size === 0) return;
      for (const { handle, confirmed } of calls.get(call)?.values() ?? []) {
        confirmed("nobody");
        handle.close("nobody");
      }
      calls.delete(call);
    },
  };
}

/** How long the inbox waits for a page to take its answer, in milliseconds. */
const confirmTime = 5000;

/** Max open questions of one call in its page, and max remembered answers of one of its callers. */
const maxInPage = 32;

interface AskedQuestion {
  readonly ask: string;
  readonly parameters: Payload;
  readonly isApproval: boolean;
}

function waitFor({ parameters, isApproval }: AskedQuestion, about: ReturnType<typeof aboutCall>): Wait | undefined {
  if (isApproval) return { kind: "approval", reason: asksFirst, ...about };
  const question = readQuestion(parameters);
  return question && { kind: "question", reason: toolAsks, ...about, ...question };
}

/** The inbox's answer in the form of an elicitation. */
function elicitationOf({ kind }: Wait, { allow, content }: WaitAnswer): string {
  if (!allow) return JSON.stringify({ action: "decline" });
  return JSON.stringify({ action: "accept", content: kind === "approval" ? { allow: true } : (content ?? {}) });
}

const maxAnswerDepth = 8;

/** Whether an elicitation's answer agrees. */
function isYes(ask: string, payload: Payload): boolean {
  const { action, content } = parseJsonObject(textOf(payload), maxAnswerDepth) ?? {};
  return action === "accept" && (ask !== allowQuestion || Object(content)["allow"] === true);
}

/** Whether an answer agrees without what the question requires: some clients have no field for a number, and take a bare yes. */
function lacksFields({ schema }: Wait, answer: CallAnswer): boolean {
  const required = schema?.["required"];
  if (!Array.isArray(required) || !("payload" in answer)) return false;
  const { action, content } = parseJsonObject(textOf(answer.payload), maxAnswerDepth) ?? {};
  const given = isJsonObject(content) ? content : {};
  return action === "accept" && !required.every((name) => Object.hasOwn(given, String(name)));
}

const withoutFields: CallAnswer = {
  code: "ask-unsupported",
  message: "The client agreed without the fields that the question requires.",
};
