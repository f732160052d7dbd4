// The agent's window's side of the bridge: it adopts the tools of the page that opened this window or frames it, and calls
// them. It accepts messages only from that page's window, and only from an allowed origin.
import { systemClock } from "../link/index.ts";
import { PagewireError, pageLimits, parseJson } from "../wire/index.ts";
import type { JsonObject } from "../wire/index.ts";
import { notDelivered, originRefused } from "./call-errors.ts";
import { LinkCalls } from "./link-calls.ts";
import type { CallEnd, CallOptions, CallResult } from "./link-calls.ts";
import { createLinkMemory } from "./link-memory.ts";
import type { LinkMemory, LinkStorage } from "./link-memory.ts";
import type { Envelope, FromParent, ToolResponse } from "./messages.ts";
import { ParentChannel } from "./parent-channel.ts";
import type { ParentReading } from "./parent-channel.ts";
import type { ParentLinkOptions, OwnWindow, ParentLinkState, ParentWindow } from "./parent-link-options.ts";
import { watchLeaving } from "./watch-leaving.ts";
import type { WindowTool } from "./tool-definition.ts";

const defaultTimeout = 30_000;

/** The link from the agent's window to its parent page. */
export class ParentLink {
  readonly #options: ParentLinkOptions;
  readonly #self: OwnWindow;
  readonly #memory: LinkMemory;
  readonly #channel: ParentChannel;
  readonly #calls: LinkCalls;
  readonly #stopWatching: () => void;
  #tools: readonly WindowTool[] | undefined;
  #state: ParentLinkState;
  #isClosed = false;

  constructor(options: ParentLinkOptions) {
    const { self = window, parent = findParent, clock = systemClock, timeout = defaultTimeout } = options;
    const { date = Date.now } = options;
    this.#options = options;
    this.#self = self;
    this.#memory = createLinkMemory(options.storage ?? tabStorage(), clock);
    const before = this.#memory.parent;
    const remembered = before && this.#isAllowed(before.origin) ? before : undefined;
    this.#channel = new ParentChannel({
      self,
      parent,
      clock,
      remembered: remembered?.origin,
      isAllowed: (origin) => this.#isAllowed(origin),
      changed: (state) => this.#change(state),
      received: (reading) => this.#receive(reading),
    });
    this.#state = this.#channel.state;
    if (this.#state.kind === "waiting") this.#tools = remembered?.tools;
    this.#calls = new LinkCalls({
      clock,
      date,
      timeout,
      memory: this.#memory,
      refusal: (name) => this.#refusal(name),
      tools: () => this.#tools,
      via: () => this.#channel.via,
      takesText: () => this.#channel.batches,
      send: (message) => this.#channel.send(message),
    });
    this.#stopWatching = watchLeaving(self, {
      leaving: () => this.#channel.send({ type: "agent_bye", payload: {} }),
      hiding: () => this.#hide(),
      back: () => this.#channel.greet(),
    });
    this.#channel.greet();
  }

  get state(): ParentLinkState {
    return this.#state;
  }

  /** The parent page's current tools. */
  get tools(): readonly WindowTool[] {
    return this.#tools ?? [];
  }

  /** Calls a tool of the parent page. Rejects with a `PagewireError`, whose code has the reason. */
  async callTool(name: string, args: JsonObject, options: CallOptions = {}): Promise<unknown> {
    const made = await this.#calls.make(name, args, options);
    return options.asText ? textOf(made) : resultOf(made);
  }

  /** Checks now whether the parent's origin is still allowed, as each of its messages does. */
  checkOrigin(): void {
    this.#channel.checkOrigin();
  }

  /** Releases the parent page; running calls end, and no more are made. May be called twice. */
  close(): void {
    this.#isClosed = true;
    this.#stopWatching();
    this.#calls.fail("this window let go of it.");
    this.#memory.save();
    this.#channel.close();
  }

  #hide(): void {
    // A page that takes the window over reloads it: the earlier page must be notified before that.
    this.#channel.checkWindow();
    this.#memory.save();
  }

  #refusal(name: string): PagewireError | undefined {
    const state = this.#state;
    if (this.#isClosed) return notDelivered(name, "this window let go of it.");
    if (state.kind === "none") return notDelivered(name, "no page opened this window.");
    if (state.kind === "refused") return originRefused(name, state.origin);
    if (state.kind === "lost" && state.reason === "closed") return notDelivered(name, "its window was closed.");
    return undefined;
  }

  #isAllowed(origin: string): boolean {
    const { allowedOrigins } = this.#options;
    const allowed = typeof allowedOrigins === "function" ? allowedOrigins() : allowedOrigins;
    // A page with an opaque origin could be any page.
    return origin !== "null" && allowed.includes(origin);
  }

  #change(state: ParentLinkState): void {
    const previous = this.#state;
    this.#state = state;
    if (state.kind === "connected") this.#connect(state);
    else if (state.kind !== "lost" || state.reason === "closed") this.#end(whyGone(state));
    else if (state.reason === "left") this.#take(undefined);
    if (!isSame(state, previous)) this.#options.onStateChange?.(state, previous);
  }

  #connect({ origin, via }: ParentLinkState & { kind: "connected" }): void {
    const before = this.#memory.parent;
    const isSameParent = before?.origin === origin;
    if (before && !isSameParent) this.#end("another page took its place.");
    const isOurs = via === "port" || (isSameParent && before.isOurs);
    this.#memory.setParent({ origin, isOurs, tools: this.tools });
    this.#calls.flush(true);
  }

  /** The parent will not be back. */
  #end(why: string): void {
    this.#memory.setParent(undefined);
    this.#calls.fail(why);
    this.#take(undefined);
  }

  #take(tools: readonly WindowTool[] | undefined): void {
    const had = this.tools.length > 0;
    this.#tools = tools;
    const { parent } = this.#memory;
    if (parent) this.#memory.setParent({ ...parent, tools: this.tools });
    this.#calls.flush(false);
    if (had || tools) this.#options.onTools?.(this.tools);
  }

  #receive(reading: ParentReading): void {
    const report = (error: PagewireError) => this.#options.onError?.(error, { stage: "parent-message" });
    if (reading.kind === "refused") {
      report(reading.error);
      if (reading.type === "tool_response" && reading.callId) this.#calls.answered(reading.callId, reading);
      return;
    }
    for (const problem of reading.problems) report(problem);
    this.#apply(reading.message);
  }

  #apply(message: Envelope<FromParent>): void {
    switch (message.type) {
      case "tools_list":
        return this.#take(message.payload.tools);
      case "inject_message":
        return this.#inject(message.payload);
      case "tool_response":
        return this.#calls.answered(message.payload.call_id, endOf(message.payload));
      case "tool_progress": {
        const { call_id: callId, ...progress } = message.payload;
        return this.#calls.isRunning(callId) ? this.#options.onProgress?.({ callId, ...progress }) : undefined;
      }
      // Handled by the channel.
      case "ping":
      case "parent_port":
      case "parent_bye":
        return undefined;
    }
  }

  #inject({ message, autoSend = false }: FromParent["inject_message"]): void {
    if (this.#state.kind !== "connected") return;
    const { origin } = this.#state;
    this.#self.dispatchEvent(new CustomEvent("parent-inject-message", { detail: { message, autoSend } }));
    this.#options.onInjectMessage?.({ message, autoSend, origin });
  }
}

function endOf(response: ToolResponse): CallEnd {
  if (response.success) return response.json === undefined ? { result: response.result } : { json: response.json };
  return { error: new PagewireError(response.code ?? "handler-failed", response.error) };
}

function textOf(made: CallResult): string {
  return "json" in made ? made.json : JSON.stringify(made.result ?? null);
}

function resultOf(made: CallResult): unknown {
  if ("result" in made) return made.result;
  const result = parseJson(made.json, pageLimits.jsonDepth);
  if (result !== undefined) return result;
  throw new PagewireError("result-unsendable", "The result cannot be read, or nests too deep.");
}

function whyGone(state: ParentLinkState): string {
  if (state.kind === "refused") return `a page of ${state.origin} took its place, which is not allowed.`;
  return state.kind === "waiting" ? "another page took this window over." : "its window was closed.";
}

function isSame(state: ParentLinkState, previous: ParentLinkState): boolean {
  return JSON.stringify(state) === JSON.stringify(previous);
}

/** Called repeatedly: a page that opens this window again becomes its opener. */
function findParent(): ParentWindow | null {
  return (window.opener as Window | null) ?? (window.parent === window ? null : window.parent);
}

/** Undefined if the browser forbids it, as in a frame of another site. */
function tabStorage(): LinkStorage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}
