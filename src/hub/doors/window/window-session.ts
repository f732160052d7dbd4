// The window of one conversation: its offer, its socket, and the calls of its tools. It knows neither models nor
// authentication. Each conversation has its own switchboard for these calls, with the window as its only tab and the
// model as its only agent, so nothing can leak between conversations.
import { randomUUID } from "node:crypto";
import type { Clock, Link } from "../../../link/index.ts";
import { named } from "../../../policy/index.ts";
import type { CallPolicy, PolicyRule, PolicySubject } from "../../../policy/index.ts";
import { createSwitchboard } from "../../../switchboard/index.ts";
import type { CallHandle, Delivery, TabSession } from "../../../switchboard/index.ts";
import { PagewireError, batchBytes, closeReason, textOf } from "../../../wire/index.ts";
import type { Json, Limits, Message, SwitchboardLimits, Tool } from "../../../wire/index.ts";
import type { Audit } from "../../audit/audit.ts";
import { traceIdOf } from "../../audit/call-records.ts";
import type { OtherCall } from "../../audit/call-records.ts";
import type { Metrics } from "../../common/metrics.ts";
import { closeWith } from "../../sockets/closing.ts";
import { BatchedLink } from "../../sockets/socket-link.ts";
import type { Pins } from "../../approvals/pins.ts";
import type { Tracing } from "../../tracing/tracing.ts";
import {
  endOf,
  notAllowed,
  notConnected,
  notOffered,
  originRemoved,
  stopped,
  tooLarge,
  unreadable,
} from "./call-errors.ts";
import { readMessage } from "./read-message.ts";
import type { WindowOffer } from "./read-offer.ts";

export interface ParentCall {
  readonly name: string;
  /** The page that offers the tool. */
  readonly origin: string | undefined;
  readonly arguments: unknown;
  /** The model's id for the call. */
  readonly callId: string;
  /** What allowed the call. */
  readonly decidedBy: string;
  readonly signal: AbortSignal;
}

export interface WindowSession {
  offer: WindowOffer;
  /** The tools that can be called now. */
  readonly tools: WindowOffer["tools"];
  /** Whether its socket is open. */
  readonly isOpen: boolean;
  /** Whether its socket is open, or was until a moment ago. */
  readonly isExpected: boolean;
  /** Connects a socket, which replaces the current one. */
  attach(link: Link): void;
  /** Calls a tool of the parent page; rejects with a PagewireError. */
  call(call: ParentCall): Promise<Json>;
  /** Ends the calls of origins that are no longer allowed, and closes the socket if the page's origin is one. */
  review(): void;
  /** Ends all calls and timers. */
  close(): void;
}

export interface WindowSessionOptions {
  readonly offer: WindowOffer;
  readonly principal: string;
  readonly audit: Pick<Audit, "call">;
  readonly policy: CallPolicy;
  readonly pins: Pick<Pins, "withheld">;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly metrics: Pick<Metrics, "refused" | "unknownFrame" | "strayAnswer">;
  readonly tracing?: Tracing | undefined;
  /** Why pages of this origin must not be called now; undefined if they may. */
  readonly refusalOf: (origin: string | undefined) => PagewireError | undefined;
  /** The session had no socket for longer than the limit windowTime. */
  readonly onLeft: () => void;
}

/** A call in progress, with the data that the switchboard does not have. */
interface Running extends Pick<ParentCall, "name" | "origin"> {
  readonly handle: CallHandle;
  soFar: string;
  /** The error for the caller, if it is not the switchboard's. */
  reason: PagewireError | undefined;
}

type WindowEnd = Pick<OtherCall, "outcome" | "ran" | "code" | "milliseconds" | "trace"> & {
  readonly rule: PolicyRule | undefined;
};

/** The name of the hub's own model as an agent. */
export const modelName = "ai-agent";

/** A window tool as policy rules see it. */
export function windowSubject({ name, annotations }: Tool, origin: string | undefined): PolicySubjectOfTool {
  return { door: "window", origin, tool: name, annotations };
}

type PolicySubjectOfTool = Omit<PolicySubject, "principal" | "agent">;

const own = "window";
/**
 * The offer as the switchboard sees it. There a tab has one fixed origin, but a window can switch to another app: so
 * this module checks which tool of which origin can be called.
 */
const anyTool = "call";
const anyOffer = JSON.stringify({ tools: [{ name: anyTool, inputSchema: { type: "object" } }] });

export function createWindowSession(options: WindowSessionOptions): WindowSession {
  const { limits, metrics, tracing, refusalOf, onLeft, policy, pins, principal } = options;
  // Without `unread`: the model's calls do not wait in a socket while the hub's event loop is blocked.
  const { now, after } = options.clock;
  const clock = { now, after };
  const board = createSwitchboard({ clock, newId: randomUUID, isoTime: String, limits: boardLimits(limits) });
  const agent = board.agent({ principal: own, identity: own, name: own });
  const running = new Map<string, Running>();
  /** The calls that the window has and has not answered, including those that ended while it was disconnected. */
  const given = new Set<string>();
  /** The result in the current message, kept here so that it need not be serialized and parsed again. */
  let returned: Json = null;
  let link: BatchedLink | undefined;
  let stopKeeping = () => {};
  let tab = arrive({ send: () => {}, close: () => {} });

  function arrive(delivery: Delivery): TabSession {
    // A window does not report the calls that it knows: it is sent all earlier ones again, marked, and runs none twice.
    const greeting = { running: [...given], epochs: [own] };
    const arrived = board.attach({ principal: own, tabId: own, origin: own, app: own }, greeting, delivery);
    arrived.receive({ type: "offer" }, anyOffer);
    return arrived;
  }

  function leave(): void {
    link = undefined;
    tab.lost("cut");
    stopKeeping = after(limits.windowTime, onLeft);
  }

  function deliveryTo(to: Link): Delivery {
    return {
      send(frame, payload = "") {
        if (frame.type === "call") {
          const { id, left, trace } = frame;
          // Another window may have the call: one that does not know it must not run it again.
          const again = given.has(id) ? ',"again":true' : "";
          given.add(id);
          const call = textOf(payload).slice(1, -1);
          const inTrace = trace ? `,"trace":${JSON.stringify(trace)}` : "";
          to.send(`{"type":"tool_call","request_id":"${id}",${call},"left":${left}${again}${inTrace}}`);
        } else if (frame.type === "cancel") {
          given.delete(frame.id);
          to.send(JSON.stringify({ type: "tool_cancel", request_id: frame.id }));
        }
      },
      close: (reason) => to.close(reason),
    };
  }

  /** The tools that agents may see. */
  function shownTools(): readonly Tool[] {
    const { origin = "", tools } = session.offer;
    const withheld = pins.withheld({ principal, origin, app: "", via: "window" }, tools);
    return withheld.size === 0 ? tools : tools.filter((tool) => !withheld.has(tool));
  }

  /** Whether the same page still offers the tool: consent does not extend to another page's tool of this name. */
  function isOffered({ name, origin }: Pick<ParentCall, "name" | "origin">): boolean {
    const { offer } = session;
    return origin === offer.origin && shownTools().some((tool) => tool.name === name);
  }

  function take(from: BatchedLink, message: Message): void {
    const read = readMessage(textOf(message), limits.jsonDepth);
    if (read.kind === "unknown") return metrics.unknownFrame();
    // The window would answer in batches, too, and the socket accepts no message larger than a frame.
    if (read.kind === "batches") return limits.frameBytes >= batchBytes ? from.startBatching() : undefined;
    const { id } = read;
    if (id === undefined) {
      metrics.refused("frame-malformed");
      return closeWith(from, new PagewireError("frame-malformed", "A message cannot be read, or nests too deep."));
    }
    const call = running.get(id);
    // Ignore an answer that was not asked for, or that comes twice.
    if (!call || !given.has(id)) return metrics.strayAnswer();
    if (read.kind === "progress") return void (call.soFar = read.soFar);
    given.delete(id);
    if (read.kind === "result") {
      returned = read.result;
      tab.receive({ type: "result", id }, "");
      returned = null;
      return;
    }
    // The parent page may have caused this: only this call fails, not the socket that all calls share.
    if (read.kind === "unreadable") metrics.refused("frame-malformed");
    call.reason = read.kind === "failure" ? read.error : unreadable(call, limits);
    const { code, message: why } = call.reason;
    tab.receive({ type: "failure", id, outcome: "tool-error", ran: "maybe", code, message: why }, "");
  }

  /** Starts a call that passed all checks. */
  function begin(
    parentCall: ParentCall,
    { message, rule }: { readonly message: string; readonly rule: PolicyRule | undefined },
  ): Promise<Json> {
    const { name, origin, signal } = parentCall;
    if (rule) policy.count(rule, principal);
    return new Promise((resolve, reject) => {
      const startedAt = now();
      const left = limits.parentCallTime;
      const span = tracing?.begin({ method: "tools/call", name }, { name: modelName, door: "window" });
      const trace = span?.trace;
      const request = { name: anyTool, tab: own, isOwnName: true, arguments: message, left, trace } as const;
      const handle = agent.call(
        { method: "tools/call", ...request },
        {
          ended(outcome) {
            running.delete(handle.id);
            span?.ended(outcome);
            signal.removeEventListener("abort", stop);
            const result = outcome.outcome === "ok" ? returned : undefined;
            const failure = result === undefined ? (call.reason ?? endOf(outcome, call, limits)) : undefined;
            const milliseconds = Math.round(now() - startedAt);
            const end = { outcome: outcome.outcome, ran: outcome.ran, code: failure?.code, milliseconds };
            recordEnd(parentCall, { ...end, trace: traceIdOf(trace), rule }, result);
            if (failure) reject(failure);
            else resolve(result ?? null);
          },
        },
      );
      const call: Running = { name, origin, handle, soFar: "", reason: undefined };
      const stop = () => giveUp(call, stopped(call));
      signal.addEventListener("abort", stop);
      running.set(handle.id, call);
    });
  }

  /** Cancels a call here and in the window. */
  function giveUp(call: Running, reason: PagewireError): void {
    call.reason = reason;
    call.handle.cancel();
  }

  function recordEnd(call: ParentCall, { rule, ...end }: WindowEnd, result?: Json): void {
    const { name, origin, arguments: given } = call;
    const decidedBy = rule && call.decidedBy === "not-asked" ? "policy" : call.decidedBy;
    options.audit.call({
      principal,
      agent: modelName,
      door: "window",
      origin,
      name,
      decidedBy,
      ...end,
      ...(rule && { details: { rule: rule.label } }),
      given: JSON.stringify(given ?? {}),
      result: result === undefined ? undefined : JSON.stringify(result),
    });
  }

  /** The switchboard knows neither the tool nor its origin, so the policy is checked here. */
  function ruleFor({ name, origin }: ParentCall): PolicyRule | undefined {
    const tool = session.offer.tools.find((one) => one.name === name);
    return policy.isOn && tool
      ? policy.judge({ principal, agent: modelName, ...windowSubject(tool, origin) })
      : undefined;
  }

  function refusalBy(rule: PolicyRule | undefined, call: ParentCall): PagewireError | undefined {
    if (!rule) return undefined;
    if (rule.decision === "ask" && call.decidedBy !== "user") return notAllowed(call, named(rule));
    const { name: tool, origin } = call;
    const isDenied = rule.decision === "deny";
    const end = isDenied
      ? policy.denial(rule, { principal, agent: modelName, tool, origin })
      : policy.overRate(rule, principal);
    return (
      end && new PagewireError(end.code ?? "policy-denied", end.message ?? "", { retryAfter: end.retryAfter ?? 0 })
    );
  }

  /** Why a call is refused. */
  function refusalFor(call: ParentCall, message: string): PagewireError | undefined {
    if (!isOffered(call)) return notOffered(call);
    if (refusalOf(call.origin)) return originRemoved({ ...call, isSent: false, soFar: "" });
    if (!session.isExpected) return notConnected(call);
    if (call.signal.aborted) return stopped(call);
    return Buffer.byteLength(message) > limits.frameBytes ? tooLarge(call, limits) : undefined;
  }

  const session: WindowSession = {
    offer: options.offer,
    get tools() {
      return session.isExpected && !refusalOf(session.offer.origin) ? shownTools() : [];
    },
    get isOpen() {
      return link !== undefined;
    },
    get isExpected() {
      return board.hasTab(own, own);
    },
    attach(socket) {
      const next = new BatchedLink(socket);
      link?.close(closeReason("tab-replaced", "This conversation is open in another window now."));
      if (link) tab.lost("cut");
      link = next;
      stopKeeping();
      for (const [id, call] of running) if (!given.has(id) && !isOffered(call)) giveUp(call, notOffered(call));
      next.start({
        message(message) {
          if (link === next) take(next, message);
        },
        closed() {
          if (link === next) leave();
        },
      });
      if (link === next) tab = arrive(deliveryTo(next));
    },
    async call(call) {
      const message = messageOf(call, limits);
      const rule = ruleFor(call);
      const refusal = refusalFor(call, message) ?? refusalBy(rule, call);
      if (!refusal) return begin(call, { message, rule });
      recordEnd(call, { outcome: "rejected", ran: "no", code: refusal.code, rule });
      throw refusal;
    },
    review() {
      for (const [id, call] of running) {
        if (refusalOf(call.origin)) giveUp(call, originRemoved({ ...call, isSent: given.has(id) }));
      }
      const refusal = refusalOf(session.offer.origin);
      if (refusal && link) closeWith(link, refusal);
    },
    close() {
      link = undefined;
      stopKeeping();
      board.close();
    },
  };
  leave();
  // Starts loading the pins, which may be needed later.
  shownTools();
  return session;
}

/** The fields of a call's message, except its id: the seed's, then ours. */
function messageOf(call: ParentCall, { frameBytes }: Limits): string {
  const { name, origin, callId, arguments: given } = call;
  const ours = { tool_call_id: callId, origin, answer_bytes: frameBytes };
  return JSON.stringify({ tool_name: name, arguments: given, ...ours });
}

/** A model's equal calls are separate calls, and it never repeats one because of a disconnect: no deduplication. */
function boardLimits({ callsPerTab, graceTime, parentCallTime }: Limits): Partial<SwitchboardLimits> {
  const calls = { callsPerTab, callsPerAgent: callsPerTab, callTimeMost: parentCallTime };
  return { ...calls, graceTime, cutTime: 0, twinTime: 0, twinPause: 0 };
}
