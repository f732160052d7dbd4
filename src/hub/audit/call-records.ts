// The audit's record of an ended call: caller, tool, tab, outcome, and digests of arguments and result. It never keeps a
// payload.
import { hash } from "node:crypto";
import type { Aim, Call, CallRequest, OnEnded, OnQuestion, CallAnswer } from "../../switchboard/index.ts";
import { isForTerminals, isJsonObject, parseJsonObject, sizeOf, textOf } from "../../wire/index.ts";
import type { JsonObject, Limits, Outcome, Payload, Tool, TraceContext, AskMethod } from "../../wire/index.ts";
import type { AuditRecord } from "../store/index.ts";
import { maskedBeginning } from "./mask.ts";
import { stepsOf } from "./call-steps.ts";
import type { PayloadRoom } from "./payload-room.ts";

/** The names of the tools whose arguments and results are recorded. */
export type AuditContents = readonly string[] | "all";

export interface CallRecordsOptions {
  readonly limits: Pick<Limits, "auditContentsBytes">;
  readonly contents: AuditContents;
  readonly isoNow: () => string;
  /** The switchboard's clock. */
  readonly now: () => number;
}

/** A call outside the hub's switchboard: of an agent's window, or of a server's own tool. */
export interface OtherCall extends Omit<AuditRecord, "at" | "kind"> {
  readonly name: string;
  readonly given: Payload;
  readonly result?: Payload | undefined;
}

/** Placeholder for a digest that is made later. */
const undigested = "";

export interface CallRecords {
  /** Makes the record of an ended call; `put` takes arguments, result and key for digesting, in this order. */
  of(ended: Parameters<OnEnded>, put: PayloadRoom["put"]): AuditRecord;
  ofOther(call: OtherCall, put: PayloadRoom["put"]): AuditRecord;
  /** The outcome of a question that a page asked during a call. */
  ofQuestion(...question: Parameters<OnQuestion>): AuditRecord;
  /** The questions that a page ended a call with. */
  asked(call: Call, outcome: Outcome): readonly AuditRecord[];
}

export function createCallRecords(options: CallRecordsOptions): CallRecords {
  const { limits, contents, isoNow, now } = options;
  const definitions = new WeakMap<Tool, string>();
  const names = contents === "all" ? undefined : new Set(contents);

  function contentsOf(name: string, given: Payload, result: Payload | undefined): JsonObject | undefined {
    if (names && !names.has(name)) return undefined;
    const { auditContentsBytes: max } = limits;
    const shown = { arguments: maskedBeginning(given, max) };
    return result === undefined ? shown : { ...shown, result: maskedBeginning(result, max) };
  }

  /** Unkeyed, so that it is equal across hubs: a definition is not secret. */
  function definitionOf(tool: Tool): string {
    const known = definitions.get(tool);
    if (known !== undefined) return known;
    const made = hash("sha256", JSON.stringify(tool));
    definitions.set(tool, made);
    return made;
  }

  function aboutQuestion({ caller, aim }: Call, method: string): AuditRecord {
    const { principal, name, version, door } = caller;
    const { tabId: tab, origin, app } = aim.tab;
    const who = { principal, agent: short(name), agentVersion: short(version), door };
    return { at: isoNow(), kind: "question", ...who, tab, origin, app, name: short(aim.name), details: { method } };
  }

  return {
    of([asked, outcome, call], put) {
      const { caller, request } = asked;
      const aim = call?.aim;
      const tab = aim?.tab;
      const name = short(aim?.name ?? request.name);
      const given = aim?.arguments ?? request.arguments;
      const { payload } = outcome;
      const tool = aim && ownTool(aim);
      // Arguments of tools for terminals may be passwords; those of unknown tools may be anything.
      const shown = tool && !isForTerminals(tool) ? contentsOf(name, given, payload) : undefined;
      const rule = outcome.rule ?? aim?.rule?.label;
      const { key } = request;
      const endedAt = now();
      const argumentsBytes = put(given);
      const resultBytes = payload === undefined ? undefined : put(payload);
      if (key !== undefined) put(key);
      // No spread here: it would create a new hidden class for each record.
      return {
        at: isoNow(),
        kind: "call",
        principal: caller.principal,
        agent: short(caller.name),
        agentVersion: short(caller.version),
        door: caller.door,
        tab: tab?.tabId ?? short(request.tab),
        origin: tab?.origin,
        app: tab?.app,
        name,
        definition: tool && definitionOf(tool),
        argumentsDigest: undigested,
        argumentsBytes,
        resultDigest: payload === undefined ? undefined : undigested,
        resultBytes,
        outcome: outcome.outcome,
        code: outcome.code,
        ran: outcome.ran,
        milliseconds: call && Math.round(endedAt - call.startedAt),
        decidedBy: rule === undefined ? (request.decidedBy ?? "not-asked") : decidedBy(asked, outcome, call),
        key: key === undefined ? undefined : undigested,
        trace: traceIdOf(request.trace),
        call: call?.id,
        steps: stepsOf(asked, call, endedAt),
        details:
          isPlain(name, request, outcome) && rule === undefined
            ? shown
            : { ...oddities(name, request, outcome), ...(rule !== undefined && { rule }), ...shown },
      };
    },
    ofQuestion: (call, method, answer) => ({ ...aboutQuestion(call, method), ...endOfQuestion(answer) }),
    asked(call, { payload = "" }) {
      return questionsIn(payload).map((method) => ({ ...aboutQuestion(call, method), outcome: "asked" }));
    },
    ofOther({ given, result, ...call }, put) {
      return {
        ...call,
        at: isoNow(),
        kind: "call",
        argumentsDigest: undigested,
        argumentsBytes: put(given),
        resultDigest: result === undefined ? undefined : undigested,
        resultBytes: result === undefined ? undefined : put(result),
        details: withContents(call.details, contentsOf(call.name, given, result)),
      };
    },
  };
}

function withContents(details: JsonObject | undefined, contents: JsonObject | undefined): JsonObject | undefined {
  return details && contents ? { ...details, ...contents } : (contents ?? details);
}

/** The definition as its page offers it: a listed one may have an added `tabId`. */
function ownTool({ tab, name, tool }: Aim): Tool | undefined {
  return tool && (tab.offer?.tools.get(name) ?? tab.offer?.terminalTools.get(name) ?? tool);
}

/** The person or rule that decided about a call. */
function decidedBy({ request }: Parameters<OnEnded>[0], { code }: Outcome, call: Call | undefined): string {
  const { decidedBy: who = "not-asked" } = request;
  if (who !== "not-asked") return who;
  if (call?.aim.rule?.decision === "ask") return "page";
  return code === "policy-declined" ? "user" : "policy";
}

function isPlain(name: string, request: CallRequest, { replay, inputRequired }: Outcome): boolean {
  const { method, name: listed, input } = request;
  return listed === name && method === "tools/call" && input === undefined && !replay && !inputRequired;
}

/** Details that most calls lack: a different listed name, another method, a replayed outcome. */
function oddities(name: string, { method, name: listed, input }: CallRequest, outcome: Outcome): JsonObject {
  return {
    ...(input === undefined ? {} : { answers: answersIn(input) }),
    ...(listed === name ? {} : { listed: short(listed) }),
    ...(method === "tools/call" ? {} : { method }),
    ...(outcome.replay ? { replay: true } : {}),
    ...(outcome.inputRequired ? { asks: true } : {}),
  };
}

export function traceIdOf(trace: TraceContext | undefined): string | undefined {
  return trace?.traceparent.split("-")[1];
}

/** Larger payloads are not parsed. */
const maxRead = 256 * 1024;
const deepest = 64;
/** Max questions recorded for one call. */
const maxAtOnce = 16;

const actions = ["accept", "decline", "cancel"];

function endOfQuestion(answer: CallAnswer | undefined): { readonly outcome: string; readonly code?: string } {
  if (!answer) return { outcome: "unanswered" };
  if ("code" in answer) return { outcome: "failed", code: answer.code };
  return { outcome: actionOf(objectIn(answer.payload)) };
}

function questionsIn(result: Payload): readonly (AskMethod | "")[] {
  const { inputRequests } = objectIn(result);
  const requests = isJsonObject(inputRequests) ? Object.values(inputRequests).slice(0, maxAtOnce) : [""];
  return requests.map((request) => (isJsonObject(request) ? methodOf(request) : ""));
}

/** How the questions that a call answers were answered. */
function answersIn(input: string): readonly string[] {
  const { inputResponses } = objectIn(input);
  const responses = isJsonObject(inputResponses) ? Object.values(inputResponses).slice(0, maxAtOnce) : [];
  return responses.map((response) => actionOf(isJsonObject(response) ? response : {}));
}

function actionOf({ action }: JsonObject): string {
  return actions.find((each) => each === action) ?? "answered";
}

const methods: readonly unknown[] = [
  "elicitation/create",
  "sampling/createMessage",
  "roots/list",
] satisfies AskMethod[];

function methodOf({ method }: JsonObject): AskMethod | "" {
  return methods.includes(method) ? (method as AskMethod) : "";
}

function objectIn(payload: Payload): JsonObject {
  return (sizeOf(payload) <= maxRead && parseJsonObject(textOf(payload), deepest)) || {};
}

const maxText = 256;

/** Truncates untrusted text. It is copied, because a slice would keep the whole text in memory. */
function short(text: string): string;
function short(text: string | undefined): string | undefined;
function short(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= maxText) return text;
  return `${Buffer.from(text.slice(0, maxText - 1)).toString()}…`;
}
