// The calls of an agent's window in its parent page: each ends once, and none is repeated to a page that cannot recognize
// a repeated call.
import { createDeadlines } from "../link/index.ts";
import type { Clock } from "../link/index.ts";
import { defaultLimits } from "../wire/index.ts";
import type { JsonObject, PagewireError, TraceContext } from "../wire/index.ts";
import { boundedObject, messageBounds } from "./bounded-json.ts";
import {
  argumentsMalformed,
  cancelled,
  notDelivered,
  outcomeUnknown,
  tooLate,
  tooMany,
  toolNotFound,
} from "./call-errors.ts";
import type { LinkMemory } from "./link-memory.ts";
import type { Envelope, FromAgent } from "./messages.ts";
import { newToken } from "./new-token.ts";
import type { WindowTool } from "./tool-definition.ts";

export interface CallOptions {
  /** Identifies the call across reloads: a running call with this id is joined, never repeated. */
  readonly callId?: string;
  /** Aborting it rejects with `cancelled` and stops the call in the parent page. */
  readonly signal?: AbortSignal;
  /** Milliseconds; overrides the link's own. */
  readonly timeout?: number;
  /** Whether another window may have made this call: then it is only made if it is known here. */
  readonly again?: boolean;
  /**
   * Resolves with the JSON text of the result, for callers that forward it. It is as the page wrote it, perhaps not even
   * valid JSON: its last reader must check it.
   */
  readonly asText?: boolean;
  /** The call's position in a trace, for the page. */
  readonly trace?: TraceContext | undefined;
}

export interface LinkCallsOptions {
  readonly clock: Clock;
  /** Milliseconds since 1970: a clock that the parent page shares. */
  readonly date: () => number;
  readonly memory: LinkMemory;
  /** Default timeout of a call, in milliseconds. */
  readonly timeout: number;
  /** Why no call can be made now, if so. */
  refusal(name: string): PagewireError | undefined;
  /** The parent's tools; undefined until it has offered them. */
  tools(): readonly WindowTool[] | undefined;
  /** The current transport to the parent. */
  via(): "port" | "window" | undefined;
  /** Whether the parent accepts arguments as text. */
  takesText(): boolean;
  send(message: Envelope<FromAgent>): boolean;
}

/** A result of the page: parsed, or as JSON text. */
export type CallResult = { readonly result: unknown } | { readonly json: string };

export type CallEnd = CallResult | { readonly error: PagewireError };

interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /** When it times out. */
  readonly until: number;
  readonly trace: TraceContext | undefined;
  readonly promise: Promise<CallResult>;
  /** Whether it was sent to the parent, by this document or the previous one. */
  isSent: boolean;
  settle(how: CallEnd): void;
}

const answeredBefore = "the parent page had answered it when this window was reloaded.";

export class LinkCalls {
  readonly #options: LinkCallsOptions;
  readonly #calls = new Map<string, Call>();
  readonly #deadlines: ReturnType<typeof createDeadlines>;
  /** Answers to calls from before a reload of this window, kept until the calls are repeated. */
  readonly #early = new Map<string, CallEnd>();

  constructor(options: LinkCallsOptions) {
    this.#options = options;
    this.#deadlines = createDeadlines(options.clock);
  }

  make(name: string, args: JsonObject, options: CallOptions): Promise<CallResult> {
    const { memory, date } = this.#options;
    const { callId: id = newToken(), signal, timeout = this.#options.timeout, again = false, trace } = options;
    const running = this.#calls.get(id);
    if (running) return running.promise;
    if (again && !memory.call(id)) return Promise.reject(outcomeUnknown(name, "another window made it."));
    const read = boundedObject(args, messageBounds);
    if (!read) return Promise.reject(argumentsMalformed(name));
    if (signal?.aborted) return Promise.reject(cancelled(name));
    if (this.#calls.size >= defaultLimits.callsPerTab) return Promise.reject(tooMany(name));
    const { promise, resolve, reject } = deferred();
    const abort = () => this.#cancel(call);
    let stopTimer = () => {};
    signal?.addEventListener("abort", abort);
    const call: Call = {
      id,
      name,
      arguments: read,
      until: date() + timeout,
      trace,
      promise,
      isSent: memory.call(id) !== undefined,
      settle(how) {
        stopTimer();
        signal?.removeEventListener("abort", abort);
        if ("error" in how) reject(how.error);
        else resolve(how);
      },
    };
    this.#calls.set(id, call);
    this.#start(call);
    if (this.#calls.has(id)) stopTimer = this.#deadlines.after(timeout, () => this.#giveUp(call, timeout));
    return promise;
  }

  /** Whether the parent received this call and has not answered it. */
  isRunning(id: string): boolean {
    return this.#calls.get(id)?.isSent ?? false;
  }

  /** The parent reported the end of a call. An answer to a call that it never received is ignored. */
  answered(id: string, how: CallEnd): void {
    const call = this.#calls.get(id);
    if (call?.isSent) this.#end(call, how);
    else if (!call && this.#options.memory.call(id) === "running") this.#early.set(id, how);
  }

  /** Sends the calls that wait for the parent or its tools, and with `again` over a port also those sent before. */
  flush(again: boolean): void {
    for (const call of this.#calls.values()) if (again || !call.isSent) this.#deliver(call);
  }

  /** The parent is gone for good. */
  fail(why: string): void {
    for (const call of this.#calls.values()) {
      this.#end(call, { error: call.isSent ? outcomeUnknown(call.name, why) : notDelivered(call.name, why) });
    }
    this.#deadlines.rest();
  }

  #start(call: Call): void {
    const { memory, refusal } = this.#options;
    const known = this.#early.get(call.id);
    if (known) return this.#end(call, known);
    const error = refusal(call.name);
    if (error) return this.#end(call, { error: call.isSent ? outcomeUnknown(call.name, error.message) : error });
    if (memory.call(call.id) === "done" && !memory.parent?.isOurs)
      return this.#end(call, { error: outcomeUnknown(call.name, answeredBefore) });
    this.#deliver(call);
  }

  #deliver(call: Call): void {
    const { memory, tools, takesText, send } = this.#options;
    const via = this.#options.via();
    // Only a parent with a port recognizes a repeated call; any other would run it twice.
    if (via === undefined || (call.isSent && via === "window")) return;
    const again = call.isSent && { again: call.isSent };
    if (!call.isSent) {
      const offered = tools();
      if (!offered) return;
      if (!offered.some((tool) => tool.name === call.name))
        return this.#end(call, { error: toolNotFound(call.name, offered) });
      call.isSent = true;
      memory.setCall(call.id, "running");
    }
    const { id, name, arguments: args, until, trace } = call;
    const takes = via === "port" && ({ takes_json: true } as const);
    const given = takesText() ? { json: JSON.stringify(args) } : { arguments: args };
    const payload = { call_id: id, tool_name: name, ...given, until, ...again, ...takes, ...(trace && { trace }) };
    send({ type: "tool_call", payload });
  }

  #cancel(call: Call): void {
    if (call.isSent) this.#sendCancel(call);
    this.#end(call, { error: cancelled(call.name) });
  }

  #giveUp(call: Call, timeout: number): void {
    const { name } = call;
    if (!call.isSent)
      return this.#end(call, { error: notDelivered(name, `it was not there for ${timeout / 1000} seconds.`) });
    const error = this.#sendCancel(call) ? tooLate(name, timeout) : outcomeUnknown(name, "the parent page is away.");
    this.#end(call, { error });
  }

  #sendCancel({ id }: Call): boolean {
    return this.#options.send({ type: "tool_cancel", payload: { call_id: id } });
  }

  #end(call: Call, how: CallEnd): void {
    this.#calls.delete(call.id);
    this.#early.delete(call.id);
    if (call.isSent) this.#options.memory.setCall(call.id, "done");
    call.settle(how);
  }
}

function deferred(): {
  promise: Promise<CallResult>;
  resolve(value: CallResult): void;
  reject(error: unknown): void;
} {
  let settle: Pick<ReturnType<typeof deferred>, "resolve" | "reject"> | undefined;
  const promise = new Promise<CallResult>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, resolve: (value) => settle?.resolve(value), reject: (error) => settle?.reject(error) };
}
