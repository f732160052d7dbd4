import type { CallerInfo } from "../../../toolbox/index.ts";
import type { CheckedRequest } from "./check-request.ts";
import { giveConsent, isConsentGiven, isRefusedForGood, noteAnswer } from "./consents.ts";
import type { FetchRules } from "./fetch-policy.ts";
import { refusal } from "./fetch-policy.ts";

/** A request that needs the user's permission. */
export interface ConsentQuestion {
  readonly request: CheckedRequest;
  readonly agent: CallerInfo;
  /** Whether the answer applies to more than this request. */
  readonly holds: boolean;
}

/** Asks the user of the page. */
export type AskPerson = (question: ConsentQuestion, signal: AbortSignal) => Promise<ConsentAnswer>;

export type ConsentAnswer = "accept" | "always" | "decline" | "cancel";

interface Asking {
  readonly agent: CallerInfo;
  readonly signal: AbortSignal;
  readonly ask: AskPerson;
}

/** Open and queued questions, by kind of request. */
const asked = new Map<string, Promise<ConsentAnswer | "left">>();

/** Resolves once the user allows the request, or did earlier; throws when it is refused. */
export async function askConsent(request: CheckedRequest, rule: FetchRules["ask"], asking: Asking): Promise<void> {
  if (rule === "never") return;
  const { agent, signal } = asking;
  const kind = kindOf(request);
  const demand = (answer: ConsentAnswer | "left") => {
    signal.throwIfAborted();
    if (isYes(answer) || answer === "left") return;
    throw refusal("ask", `the person in front of the page did not allow ${kind}.`);
  };
  if (rule === "each") return demand(await askAbout(kind, { request, agent, holds: false }, asking));
  while (!isAllowed(request)) {
    // All waiting callers share one answer, unless the caller that opened the dialog disconnected.
    const shown = asked.get(kind) ?? askOnce(kind, { request, agent, holds: true }, asking);
    demand(await shown);
  }
}

/** Whether the user allowed requests of this kind. Permission with cookies includes permission without. */
export function isAllowed(request: CheckedRequest): boolean {
  return isConsentGiven(kindOf(request)) || isConsentGiven(kindOf({ ...request, credentials: "include" }));
}

/** The key under which an answer is stored, and the text shown for it. */
function kindOf({ method, url, credentials }: Pick<CheckedRequest, "method" | "url" | "credentials">): string {
  return `${method} ${url.origin}${credentials === "omit" ? " without cookies" : ""}`;
}

/** Asks once about a kind of request: later callers wait for the same answer. */
function askOnce(kind: string, question: ConsentQuestion, asking: Asking): Promise<ConsentAnswer | "left"> {
  const decide = async () => {
    try {
      const answer = await askAbout(kind, question, asking);
      if (isYes(answer)) giveConsent(kind, answer === "always");
      return asking.signal.aborted ? "left" : answer;
    } finally {
      asked.delete(kind);
    }
  };
  const shown = decide();
  asked.set(kind, shown);
  return shown;
}

async function askAbout(kind: string, question: ConsentQuestion, { ask, signal }: Asking): Promise<ConsentAnswer> {
  if (isRefusedForGood(kind)) {
    throw refusal("ask", `${kind} was refused again and again, and nobody is asked any more until the page is left.`);
  }
  const answer = await ask(question, signal);
  if (!signal.aborted) noteAnswer(kind, isYes(answer));
  return answer;
}

function isYes(answer: ConsentAnswer | "left"): boolean {
  return answer === "accept" || answer === "always";
}
