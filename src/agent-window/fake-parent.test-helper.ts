import { onTestFinished } from "vitest";
import { createFakeClock } from "../testing/index.ts";
import type { Envelope, FromAgent } from "./messages.ts";
import { ParentLink } from "./parent-link.ts";
import type { CallProgress, InjectedMessage, ParentLinkOptions, ParentLinkState } from "./parent-link-options.ts";
import type { WindowTool } from "./tool-definition.ts";

export const shop = "https://shop.example";
export const salesTool: WindowTool = {
  name: "get_sales_data",
  description: "Get sales data for date range",
  parameters: { type: "object", properties: { days: { type: "number" } }, required: ["days"] },
};

type Sent = Envelope<FromAgent>;

/** The part of the agent's window that its link uses. */
class FakeAgentWindow extends EventTarget {
  closed = false;
  location = { href: "https://hub.example/" };
  navigation = new EventTarget();
}

/** A parent page: records the messages over its window and its ports, and sends a test's messages. */
export class FakeParent {
  closed = false;
  readonly sent: Sent[] = [];
  readonly targetOrigins: string[] = [];
  readonly overPort: Sent[] = [];
  /** Messages over ports, each of which may be a list. */
  portMessages = 0;
  readonly ports: MessagePort[] = [];
  origin: string;
  #self: EventTarget;

  constructor(self: EventTarget, origin = shop) {
    this.#self = self;
    this.origin = origin;
  }

  postMessage(data: Sent, targetOrigin: string): void {
    // As in a browser, nothing reaches a page of another origin.
    if (targetOrigin !== this.origin) return;
    this.sent.push(structuredClone(data));
    this.targetOrigins.push(targetOrigin);
  }

  /** Posts to the agent's window. */
  say(data: unknown, { origin = this.origin, source = this as unknown, ports = [] as MessagePort[] } = {}): void {
    this.#self.dispatchEvent(Object.assign(new Event("message"), { data, origin, source, ports }));
  }

  /** Offers tools, as the page does at its start. */
  offer(...tools: readonly WindowTool[]): void {
    this.say({ type: "tools_list", payload: { tools } });
  }

  /** Answers the newest offer of a port. */
  givePort(nonce = this.nonces().at(-1), more: object = {}): MessagePort {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", ({ data }) => {
      this.portMessages += 1;
      this.overPort.push(...([data] as (Sent | Sent[])[]).flat());
    });
    port1.start();
    this.ports.push(port1);
    onTestFinished(() => port1.close());
    this.say({ type: "parent_port", payload: { nonce, ...more } }, { ports: [port2] });
    return port1;
  }

  nonces(): string[] {
    return payloadsOf(this.sent, "agent_ready").map(({ nonce }) => nonce);
  }

  calls(over: readonly Sent[] = this.sent): FromAgent["tool_call"][] {
    return payloadsOf(over, "tool_call");
  }

  answer(call_id: string, result: unknown): void {
    this.say({ type: "tool_response", payload: { call_id, success: true, result } });
  }
}

export function payloadsOf<Type extends keyof FromAgent>(sent: readonly Sent[], type: Type): FromAgent[Type][] {
  return sent.flatMap((message) => (message.type === type ? [message.payload as FromAgent[Type]] : []));
}

/** A link with a record of its events. */
export interface LinkUnderTest {
  readonly link: ParentLink;
  readonly states: ParentLinkState[];
  readonly tools: (readonly WindowTool[])[];
  readonly injected: InjectedMessage[];
  readonly progress: CallProgress[];
  readonly problems: string[];
}

/** The state that outlives a window's document. */
export function makeWorld() {
  const self = new FakeAgentWindow();
  const clock = createFakeClock();
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  };
  const page = new FakeParent(self);
  const world = {
    self,
    clock,
    kept,
    storage,
    page,
    /** The value of `opener`. */
    opener: page as FakeParent | null,
    allowed: [shop],
    /** Loads the window's document; the previous one must have been closed. */
    load(options: Partial<ParentLinkOptions> = {}): LinkUnderTest {
      const reported = { states: [], tools: [], injected: [], progress: [], problems: [] } as Omit<
        LinkUnderTest,
        "link"
      > &
        Record<never, never>;
      const link = new ParentLink({
        self,
        clock,
        date: clock.now,
        storage,
        parent: () => world.opener,
        allowedOrigins: () => world.allowed,
        onTools: (tools) => reported.tools.push(tools),
        onStateChange: (state) => reported.states.push(state),
        onInjectMessage: (injected) => reported.injected.push(injected),
        onProgress: (progress) => reported.progress.push(progress),
        onError: (error) => reported.problems.push((error as Error).message),
        ...options,
      });
      onTestFinished(() => link.close());
      return { link, ...reported };
    },
  };
  return world;
}

/** The code of the error that a promise rejects with. */
export function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (result) => ({ result }),
    (error: { code?: string }) => error.code,
  );
}
