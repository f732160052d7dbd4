// The window of one conversation: its offer, its socket, and the calls of its tools. It knows neither models nor
// authentication. Each conversation has its own switchboard for these calls, with the window as its only tab and the
// model as its only agent, so nothing can leak between conversations.
import { randomUUID } from "node:crypto";
import type { Clock, Link } from "../../../link/index.ts";
import type { PolicyRule } from "../../../policy/index.ts";
import { createSwitchboard } from "../../../switchboard/index.ts";
import type { AgentSession, CallHandle, Delivery, Switchboard, TabSession } from "../../../switchboard/index.ts";
import { PagewireError, batchBytes, closeReason, textOf } from "../../../wire/index.ts";
import type { Json, Limits, Message, SwitchboardLimits, Tool } from "../../../wire/index.ts";
import { traceIdOf } from "../../audit/call-records.ts";
import type { Metrics } from "../../common/metrics.ts";
import { closeWith } from "../../sockets/closing.ts";
import { BatchedLink } from "../../sockets/socket-link.ts";
import type { Pins } from "../../approvals/pins.ts";
import type { Tracing } from "../../tracing/create-tracing.ts";
import { endOf, notConnected, notOffered, originRemoved, stopped, tooLarge, unreadable } from "./call-errors.ts";
import { CallRules, modelName } from "./call-rules.ts";
import type { CallRulesOptions, ParentCall } from "./call-rules.ts";
import { callFields, callMessage, readMessage } from "./messages.ts";
import type { WindowOffer } from "./read-offer.ts";

export interface WindowSessionOptions extends CallRulesOptions {
  readonly offer: WindowOffer;
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

const own = "window";
/**
 * The offer as the switchboard sees it. There a tab has one fixed origin, but a window can switch to another app: so
 * this module checks which tool of which origin can be called.
 */
const anyTool = "call";
const anyOffer = JSON.stringify({ tools: [{ name: anyTool, inputSchema: { type: "object" } }] });

export class WindowSession {
  offer: WindowOffer;
  readonly #options: WindowSessionOptions;
  readonly #rules: CallRules;
  readonly #clock: Pick<Clock, "now" | "after">;
  readonly #switchboard: Switchboard;
  readonly #agent: AgentSession;
  readonly #running = new Map<string, Running>();
  /** The calls that the window has and has not answered, including those that ended while it was disconnected. */
  readonly #unanswered = new Set<string>();
  /** The result in the current message, kept here so that it need not be serialized and parsed again. */
  #returned: Json = null;
  #link: BatchedLink | undefined;
  #stopKeeping = () => {};
  #tab: TabSession;

  constructor(options: WindowSessionOptions) {
    this.#options = options;
    this.offer = options.offer;
    this.#rules = new CallRules(options);
    // Without `unread`: the model's calls do not wait in a socket while the hub's event loop is blocked.
    const { now, after } = options.clock;
    this.#clock = { now, after };
    const limits = switchboardLimits(options.limits);
    this.#switchboard = createSwitchboard({ clock: this.#clock, newId: randomUUID, isoTime: String, limits });
    this.#agent = this.#switchboard.agent({ principal: own, identity: own, name: own });
    this.#tab = this.#arrive({ send: () => {}, close: () => {} });
    this.#leave();
    // Starts loading the pins, which may be needed later.
    this.#shownTools();
  }

  /** The tools that can be called now. */
  get tools(): readonly Tool[] {
    return this.isExpected && !this.#options.refusalOf(this.offer.origin) ? this.#shownTools() : [];
  }

  get isOpen(): boolean {
    return this.#link !== undefined;
  }

  /** Whether its socket is open, or was until a moment ago. */
  get isExpected(): boolean {
    return this.#switchboard.hasTab(own, own);
  }

  /** Connects a socket, which replaces the current one. */
  attach(socket: Link): void {
    const next = new BatchedLink(socket);
    this.#link?.close(closeReason("tab-replaced", "This conversation is open in another window now."));
    if (this.#link) this.#tab.lost("cut");
    this.#link = next;
    this.#stopKeeping();
    for (const [id, call] of this.#running) {
      if (!this.#unanswered.has(id) && !this.#isOffered(call)) giveUp(call, notOffered(call));
    }
    next.start({
      message: (message) => {
        if (this.#link === next) this.#take(next, message);
      },
      closed: () => {
        if (this.#link === next) this.#leave();
      },
    });
    if (this.#link === next) this.#tab = this.#arrive(this.#deliveryTo(next));
  }

  /** Calls a tool of the parent page; rejects with a PagewireError. */
  async call(call: ParentCall): Promise<Json> {
    const message = callFields(call, this.#options.limits);
    const rule = this.#rules.ruleFor(call, this.offer.tools);
    const refusal = this.#refusalFor(call, message) ?? this.#rules.refusalBy(rule, call);
    if (!refusal) return this.#begin(call, message, rule);
    this.#rules.recordEnd(call, { outcome: "rejected", ran: "no", code: refusal.code, rule });
    throw refusal;
  }

  /** Ends the calls of origins that are no longer allowed, and closes the socket if the page's origin is one. */
  review(): void {
    const { refusalOf } = this.#options;
    for (const [id, call] of this.#running) {
      if (refusalOf(call.origin)) giveUp(call, originRemoved({ ...call, isSent: this.#unanswered.has(id) }));
    }
    const refusal = refusalOf(this.offer.origin);
    if (refusal && this.#link) closeWith(this.#link, refusal);
  }

  /** Closes the socket, which comes back to another hub. */
  leave(): void {
    this.#link?.close(closeReason("going-away"));
  }

  /** Ends all calls and timers. */
  close(): void {
    this.#link = undefined;
    this.#stopKeeping();
    this.#switchboard.close();
  }

  #arrive(delivery: Delivery): TabSession {
    // A window does not report the calls that it knows: it is sent all earlier ones again, marked, and runs none twice.
    const greeting = { running: [...this.#unanswered], epochs: [own] };
    const tab = { principal: own, tabId: own, origin: own, app: own };
    const arrived = this.#switchboard.attach(tab, greeting, delivery);
    arrived.receive({ type: "offer" }, anyOffer);
    return arrived;
  }

  #leave(): void {
    this.#link = undefined;
    this.#tab.lost("cut");
    this.#stopKeeping = this.#clock.after(this.#options.limits.windowTime, this.#options.onLeft);
  }

  #deliveryTo(link: Link): Delivery {
    return {
      send: (frame, payload = "") => {
        if (frame.type === "call") {
          const isRepeated = this.#unanswered.has(frame.id);
          this.#unanswered.add(frame.id);
          link.send(callMessage(frame, payload, isRepeated));
        } else if (frame.type === "cancel") {
          this.#unanswered.delete(frame.id);
          link.send(JSON.stringify({ type: "tool_cancel", request_id: frame.id }));
        }
      },
      close: (reason) => link.close(reason),
    };
  }

  /** The tools that agents may see. */
  #shownTools(): readonly Tool[] {
    const { pins, principal } = this.#options;
    const { origin = "", tools } = this.offer;
    const withheld = pins.withheld({ principal, origin, app: "", via: "window" }, tools);
    return withheld.size === 0 ? tools : tools.filter((tool) => !withheld.has(tool));
  }

  /** Whether the same page still offers the tool: consent does not extend to another page's tool of this name. */
  #isOffered({ name, origin }: Pick<ParentCall, "name" | "origin">): boolean {
    return origin === this.offer.origin && this.#shownTools().some((tool) => tool.name === name);
  }

  #take(from: BatchedLink, message: Message): void {
    const { limits, metrics } = this.#options;
    const read = readMessage(textOf(message), limits.jsonDepth);
    if (read.kind === "unknown") return metrics.unknownFrame();
    // The window would answer in batches, too, and the socket accepts no message larger than a frame.
    if (read.kind === "batches") return limits.frameBytes >= batchBytes ? from.startBatching() : undefined;
    const { id } = read;
    if (id === undefined) {
      metrics.refused("frame-malformed");
      return closeWith(from, new PagewireError("frame-malformed", "A message cannot be read, or nests too deep."));
    }
    const call = this.#running.get(id);
    // Ignore an answer that was not asked for, or that comes twice.
    if (!call || !this.#unanswered.has(id)) return metrics.strayAnswer();
    if (read.kind === "progress") return void (call.soFar = read.soFar);
    this.#unanswered.delete(id);
    if (read.kind === "result") {
      this.#returned = read.result;
      this.#tab.receive({ type: "result", id }, "");
      this.#returned = null;
      return;
    }
    // The parent page may have caused this: only this call fails, not the socket that all calls share.
    if (read.kind === "unreadable") metrics.refused("frame-malformed");
    call.reason = read.kind === "failure" ? read.error : unreadable(call, limits);
    const { code, message: why } = call.reason;
    this.#tab.receive({ type: "failure", id, outcome: "tool-error", ran: "maybe", code, message: why }, "");
  }

  /** Starts a call that passed all checks. */
  #begin(parentCall: ParentCall, message: string, rule: PolicyRule | undefined): Promise<Json> {
    const { limits, tracing } = this.#options;
    const { name, origin, signal } = parentCall;
    this.#rules.count(rule);
    return new Promise((resolve, reject) => {
      const startedAt = this.#clock.now();
      const left = limits.parentCallTime;
      const span = tracing?.begin({ method: "tools/call", name }, { name: modelName, door: "window" });
      const trace = span?.trace;
      const request = { name: anyTool, tab: own, isOwnName: true, arguments: message, left, trace } as const;
      const handle = this.#agent.call(
        { method: "tools/call", ...request },
        {
          ended: (outcome) => {
            this.#running.delete(handle.id);
            span?.ended(outcome);
            signal.removeEventListener("abort", stop);
            const result = outcome.outcome === "ok" ? this.#returned : undefined;
            const failure = result === undefined ? (call.reason ?? endOf(outcome, call, limits)) : undefined;
            const milliseconds = Math.round(this.#clock.now() - startedAt);
            const end = { outcome: outcome.outcome, ran: outcome.ran, code: failure?.code, milliseconds };
            this.#rules.recordEnd(parentCall, { ...end, trace: traceIdOf(trace), rule }, result);
            if (failure) reject(failure);
            else resolve(result ?? null);
          },
        },
      );
      const call: Running = { name, origin, handle, soFar: "", reason: undefined };
      const stop = () => giveUp(call, stopped(call));
      signal.addEventListener("abort", stop);
      this.#running.set(handle.id, call);
    });
  }

  /** Why a call is refused. */
  #refusalFor(call: ParentCall, message: string): PagewireError | undefined {
    const { limits, refusalOf } = this.#options;
    if (!this.#isOffered(call)) return notOffered(call);
    if (refusalOf(call.origin)) return originRemoved({ ...call, isSent: false, soFar: "" });
    if (!this.isExpected) return notConnected(call);
    if (call.signal.aborted) return stopped(call);
    return Buffer.byteLength(message) > limits.frameBytes ? tooLarge(call, limits) : undefined;
  }
}

/** Cancels a call here and in the window. */
function giveUp(call: Running, reason: PagewireError): void {
  call.reason = reason;
  call.handle.cancel();
}

/** A model's equal calls are separate calls, and it never repeats one because of a disconnect: no deduplication. */
function switchboardLimits({ callsPerTab, graceTime, parentCallTime }: Limits): Partial<SwitchboardLimits> {
  const calls = { callsPerTab, callsPerAgent: callsPerTab, callTimeMost: parentCallTime };
  return { ...calls, graceTime, cutTime: 0, twinTime: 0, twinPause: 0 };
}
