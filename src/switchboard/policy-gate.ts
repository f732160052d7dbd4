// Applies the hub's policy to calls: a call that a rule denies is refused, and a call that a rule asks about waits until the
// caller's user has answered. It knows neither rules nor pages.
import type { Clock } from "../link/index.ts";
import { named, whose } from "../policy/index.ts";
import type { CallPolicy, PolicyRule, PolicySubject } from "../policy/index.ts";
import { allowQuestion, isBuiltInTool, isJsonObject, parseJsonObject, showInvisible, textOf } from "../wire/index.ts";
import type { Json, Outcome, Ran, SwitchboardLimits } from "../wire/index.ts";
import { builtInTools } from "./built-in-tools.ts";
import { endedCall, laterCall } from "./call-handles.ts";
import { end, rejection } from "./call-life.ts";
import type {
  Again,
  Aim,
  AllowedUse,
  Asked,
  CallAnswer,
  CallHandle,
  CallRequest,
  Caller,
  Decision,
  Route,
} from "./types.ts";

export interface PolicyGate {
  /** The route that the policy leaves a call, with the rule that matched. */
  judge(found: Route, request: CallRequest, caller: JudgedCaller): Route;
  /** The refusal of a call over its rule's rate, else undefined. */
  refusal(found: Route, caller: Caller): Outcome | undefined;
  /**
   * Asks the caller's user before the call begins. Undefined if no question is needed, or if the page will ask; a refusal if
   * the user cannot be asked.
   */
  ask(asked: Asked, next: Decision, again: Again): CallHandle | Outcome | undefined;
  /** The end of a call whose page was to ask but cannot; `ran` is whether it may have run before. */
  unaskedFor(aim: Aim): (ran: Ran) => Outcome;
  /** Counts a call that begins towards its rule's rate. */
  begun(aim: Aim, caller: Caller): void;
  /** Ends every wait. */
  close(): void;
}

type JudgedCaller = Pick<Caller, "principal" | "name" | "door">;

export interface PolicyGateOptions {
  readonly policy: CallPolicy;
  readonly clock: Clock;
  readonly limits: Pick<SwitchboardLimits, "callTime" | "callTimeMost">;
}

/** Characters of the arguments that the question shows. */
const mostShown = 1000;

export function createPolicyGate({ policy, clock, limits }: PolicyGateOptions): PolicyGate {
  const waits = new Set<() => void>();

  function judge(found: Route, request: CallRequest, caller: JudgedCaller): Route {
    if (!policy.isOn) return found;
    const subject = subjectOf(found, request, caller);
    const rule = subject && policy.judge(subject);
    if (!rule) return found;
    if (rule.decision === "deny") return { outcome: policy.denial(rule, subject) };
    const { allowed } = request;
    if (rule.decision === "ask" && allowed && !isSame(allowed, found)) return { outcome: changed(rule) };
    // The outcome of a call that goes to no page is the only place for the rule.
    return "tab" in found ? { ...found, rule } : { outcome: { ...found.outcome, rule: rule.label }, rule };
  }

  function ask(asked: Asked, next: Decision, again: Again): CallHandle | Outcome | undefined {
    const { rule } = next;
    const { request, listener } = asked;
    if (rule?.decision !== "ask" || request.decidedBy === "user") return undefined;
    if (request.asks?.includes("elicitation/create") && listener.ask) return askCaller(asked, { ...next, rule }, again);
    return "tab" in next && next.tab.approves ? undefined : unasked(rule);
  }

  function askCaller(asked: Asked, next: Decision & { readonly rule: PolicyRule }, again: Again): CallHandle {
    const { caller, request, listener } = asked;
    const { rule } = next;
    const begunAt = clock.now();
    const left = Math.min(request.left ?? limits.callTime, limits.callTimeMost);
    let settle: (answer: CallAnswer) => void = () => {};
    caller.inFlight++;
    const handle = laterCall(
      asked,
      () => "no",
      (go) => {
        let isOver = false;
        const stop = () => {
          if (!isOver) caller.inFlight--;
          isOver = true;
          stopTimer();
          waits.delete(close);
        };
        const finish = (outcome: Outcome) => {
          stop();
          go(endedCall(listener, outcome));
        };
        const close = () => finish(closing);
        const stopTimer = clock.after(left, () => finish(nobodyAnswered));
        waits.add(close);
        settle = (answer) => {
          if (isOver) return;
          const said = answerIn(answer);
          if (said === undefined) return finish(unasked(rule));
          if (!said) return finish(declined(rule));
          stop();
          const waited = clock.now() - begunAt;
          const allowed = useOf(next);
          go(again({ ...asked, request: { ...request, left: left - waited, waited, decidedBy: "user", allowed } }));
        };
        // The caller has its handle by then.
        queueMicrotask(() => {
          if (isOver) return;
          const aim = "tab" in next ? next : undefined;
          listener.ask?.(allowQuestion, "elicitation/create", JSON.stringify(questionOf(asked, next)), aim);
        });
        return stop;
      },
    );
    const { answer } = handle;
    handle.answer = (name, said) => (name === allowQuestion ? settle(said) : answer(name, said));
    return handle;
  }

  return {
    judge,
    refusal: ({ rule }, { principal }) => rule && policy.overRate(rule, principal),
    ask,
    unaskedFor:
      ({ rule }) =>
      (ran) =>
        rule && ran === "no" ? unasked(rule) : end("outcome-unknown", "maybe", unaskedNow),
    begun({ rule }, { principal }) {
      if (rule) policy.count(rule, principal);
    },
    close() {
      for (const close of [...waits]) close();
    },
  };
}

/** The facts about a call that rules match; undefined if it goes nowhere. */
function subjectOf(found: Route, request: CallRequest, caller: JudgedCaller): PolicySubject | undefined {
  const { principal, name: agent, door } = caller;
  const isTool = request.method === "tools/call";
  if ("tab" in found) {
    const { origin, app } = found.tab;
    const tool = isTool ? found.name : undefined;
    return { principal, agent, door, origin, app, tool, annotations: found.tool?.annotations };
  }
  if (!isTool || found.outcome.outcome !== "ok" || !isBuiltInTool(request.name)) return undefined;
  const annotations = builtInTools.find(({ name }) => name === request.name)?.annotations;
  return { principal, agent, door, tool: request.name, annotations };
}

/** Whether a call uses what its user was shown: the same tool, unchanged, of the same page. */
function isSame(allowed: AllowedUse, found: Route): boolean {
  return JSON.stringify(allowed) === JSON.stringify(useOf(found));
}

function useOf(found: Route | Decision): AllowedUse | undefined {
  if (!("tab" in found)) return undefined;
  const { tab, name, tool } = found;
  return { origin: tab.origin, app: tab.app, name, tool };
}

function questionOf(
  { caller, request }: Asked,
  next: Decision & { readonly rule: PolicyRule },
): { readonly [name: string]: Json } {
  const aim = "tab" in next ? next : undefined;
  const title = aim?.tool?.title ?? aim?.tool?.annotations?.title;
  // The page's own text comes last and in quotes: it could read like the rest of the sentence.
  const called = title === undefined ? "" : `, which calls it ${JSON.stringify(title.slice(0, 100))}`;
  const where = aim ? ` of ${aim.tab.origin}${called}` : "";
  const given = textOf(aim?.arguments ?? request.arguments);
  const shown = given.length > mostShown ? `${given.slice(0, mostShown)}…` : given;
  const message = `${caller.name} wants to use ${aim?.name ?? request.name}${where}. ${whose(next.rule)} policy asks you first. Arguments: ${shown || "{}"}`;
  const allow = { type: "boolean", title: "Allow this call", default: false };
  return {
    message: showInvisible(message),
    requestedSchema: { type: "object", properties: { allow }, required: ["allow"] },
  };
}

const unaskedNow =
  "The page that came back cannot ask its user whether the call may run; before, it may have run. Look before you try again.";

/** Whether the user allowed it; undefined if the user could not be asked. */
function answerIn(answer: CallAnswer): boolean | undefined {
  const { action, content } = ("payload" in answer && parseJsonObject(textOf(answer.payload), 8)) || {};
  if (typeof action !== "string") return undefined;
  return action === "accept" && isJsonObject(content) && content["allow"] === true;
}

function unasked(rule: PolicyRule): Outcome {
  const message = `${whose(rule)} policy wants a person to allow this (${named(rule)}), and nobody can be asked: neither the client that calls nor the page puts the question to its user. Nothing was run.`;
  return { ...rejection("policy-unasked", message), rule: rule.label };
}

function declined(rule: PolicyRule): Outcome {
  const message = `The user did not allow this (${named(rule)} of ${whose(rule).toLowerCase()} policy). Nothing was run.`;
  return { ...rejection("policy-declined", message), rule: rule.label };
}

function changed(rule: PolicyRule): Outcome {
  const message = `The tool that the user allowed is gone or has changed (${named(rule)} of ${whose(rule).toLowerCase()} policy). Nothing was run. Look at the tools again.`;
  return { ...rejection("policy-unasked", message), rule: rule.label };
}

const closing = rejection("going-away", "The hub is stopping. Try again in a moment.", 1000);
const nobodyAnswered = end("deadline-exceeded", "no", "Nobody answered whether the call may run; nothing was run.");
