// The audit's record of a call that has ended: who called what, where, with what outcome, and digests of what went there
// and back. It keeps no payload, and reads one only to make its digest.
import { hash } from "node:crypto";
import type { Aim, Call, CallRequest, OnEnded, OnQuestion, CallAnswer } from "../../switchboard/index.ts";
import { isForTerminals, isJsonObject, parseJsonObject, sizeOf, textOf } from "../../wire/index.ts";
import type { JsonObject, Limits, Outcome, Payload, Tool, TraceContext, AskMethod } from "../../wire/index.ts";
import type { AuditRecord } from "../store/index.ts";
import { maskedBeginning } from "./mask.ts";
import type { PayloadRoom } from "./payload-room.ts";

/** The tools of which the hub's owner wants to have arguments and results, by name. */
export type AuditContents = readonly string[] | "all";

export interface CallRecordsOptions {
  readonly limits: Pick<Limits, "auditContentsBytes">;
  readonly contents: AuditContents;
  readonly isoNow: () => string;
  /** The time of the switchboard, in which a call has begun. */
  readonly now: () => number;
}

/** A call that no switchboard of the hub's has: an agent's window's, or a tool of the server's own. */
export interface OtherCall extends Omit<AuditRecord, "at" | "kind"> {
  readonly name: string;
  readonly given: Payload;
  readonly result?: Payload | undefined;
}

/** Stands for a digest that is still to be made. */
const undigested = "";

export interface CallRecords {
  /** What a switchboard's `onEnded` is given, and what takes arguments, result and key to be digested, in this order. */
  of(ended: Parameters<OnEnded>, put: PayloadRoom["put"]): AuditRecord;
  ofOther(call: OtherCall, put: PayloadRoom["put"]): AuditRecord;
  /** What became of a question that a page asked during a call. */
  ofQuestion(...question: Parameters<OnQuestion>): AuditRecord;
  /** What a page has ended a call with, where those are questions. */
  asked(call: Call, outcome: Outcome): readonly AuditRecord[];
}

export function createCallRecords(options: CallRecordsOptions): CallRecords {
  const { limits, contents, isoNow, now } = options;
  const definitions = new WeakMap<Tool, string>();
  const names = contents === "all" ? undefined : new Set(contents);

  function contentsOf(name: string, given: Payload, result: Payload | undefined): JsonObject | undefined {
    if (names && !names.has(name)) return undefined;
    const { auditContentsBytes: most } = limits;
    const shown = { arguments: maskedBeginning(given, most) };
    return result === undefined ? shown : { ...shown, result: maskedBeginning(result, most) };
  }

  /** Plain SHA-256, which hubs agree on: a definition is no secret. */
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
      // What is said to tools for terminals may be a password; of a name that no tool has, nobody knows what is said to it.
      const shown = tool && !isForTerminals(tool) ? contentsOf(name, given, payload) : undefined;
      const rule = outcome.rule ?? aim?.rule?.label;
      const { key } = request;
      const argumentsBytes = put(given);
      const resultBytes = payload === undefined ? undefined : put(payload);
      if (key !== undefined) put(key);
      // Each field is written out: a spread makes a new hidden class each time.
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
        milliseconds: call && Math.round(now() - call.startedAt),
        decidedBy: rule === undefined ? (request.decidedBy ?? "not-asked") : decidedBy(asked, outcome, call),
        key: key === undefined ? undefined : undigested,
        trace: traceIdOf(request.trace),
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
        details: contentsOf(call.name, given, result) ?? call.details,
      };
    },
  };
}

/** What its page offers, which the list may have given a `tabId`. */
function ownTool({ tab, name, tool }: Aim): Tool | undefined {
  return tool && (tab.offer?.tools.get(name) ?? tab.offer?.terminalTools.get(name) ?? tool);
}

/** Who or what allowed a call that a rule of the policy fits, or refused it. */
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

/** What most calls have nothing to say of: another name in the list, another method, an outcome that was there before. */
function oddities(name: string, { method, name: listed, input }: CallRequest, outcome: Outcome): JsonObject {
  return {
    ...(input === undefined ? {} : { answers: answersIn(input) }),
    ...(listed === name ? {} : { listed: short(listed) }),
    ...(method === "tools/call" ? {} : { method }),
    ...(outcome.replay ? { replay: true } : {}),
    ...(outcome.inputRequired ? { asks: true } : {}),
  };
}

/** The part of a `traceparent` that all spans of a trace share. */
export function traceIdOf(trace: TraceContext | undefined): string | undefined {
  return trace?.traceparent.split("-")[1];
}

/** What is larger is not read for its sake. */
const mostRead = 256 * 1024;
const deepest = 64;
/** A page may ask many at once; so many are recorded. */
const mostAtOnce = 16;

const actions = ["accept", "decline", "cancel"];

/** How a question ended, and with which code where it failed. */
function endOfQuestion(answer: CallAnswer | undefined): { readonly outcome: string; readonly code?: string } {
  if (!answer) return { outcome: "unanswered" };
  if ("code" in answer) return { outcome: "failed", code: answer.code };
  return { outcome: actionOf(objectIn(answer.payload)) };
}

/** The methods of the questions that a page has ended a call with. */
function questionsIn(result: Payload): readonly (AskMethod | "")[] {
  const { inputRequests } = objectIn(result);
  const requests = isJsonObject(inputRequests) ? Object.values(inputRequests).slice(0, mostAtOnce) : [""];
  return requests.map((request) => (isJsonObject(request) ? methodOf(request) : ""));
}

/** How the questions were answered that a call brings the answers to. */
function answersIn(input: string): readonly string[] {
  const { inputResponses } = objectIn(input);
  const responses = isJsonObject(inputResponses) ? Object.values(inputResponses).slice(0, mostAtOnce) : [];
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
  return (sizeOf(payload) <= mostRead && parseJsonObject(textOf(payload), deepest)) || {};
}

const most = 256;

/** A text of a stranger's as long as a record has room for. It is copied: the whole of it is not kept for its beginning. */
function short(text: string): string;
function short(text: string | undefined): string | undefined;
function short(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= most) return text;
  return `${Buffer.from(text.slice(0, most - 1)).toString()}…`;
}
