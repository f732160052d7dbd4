// A tab, its page and the windows that it opens, without a browser. Messages are cloned when they are posted, arrive
// later, and only if the target's origin matches.
import { createFakeClock } from "../testing/index.ts";
import type { FakeClock } from "../testing/index.ts";
import { AgentBridge } from "./agent-bridge.ts";
import type { BridgeConfig } from "./bridge-config.ts";
import type { BridgeEnvironment } from "./bridge-environment.ts";
import type { ToolDefinition } from "./tool-definition.ts";

export const agentOrigin = "https://agent.example";
const pageOrigin = "https://shop.example";

/** A tool that takes nothing. */
export const tool = (name: string): ToolDefinition => ({
  name,
  description: "A tool.",
  parameters: { type: "object", properties: {} },
});

export interface Posted {
  readonly type: string;
  readonly payload: Record<string, unknown>;
}

/** The agent's window, as the page sees it and as the test plays it. */
export class FakeAgent {
  /** The messages that it received, with the port that they came over, if any. */
  readonly received: (Posted & { readonly port?: MessagePort })[] = [];
  readonly shown: string[] = [];
  readonly name: string;
  features = "";
  focused = 0;
  closed = false;
  /** The origin of its page; the page may read it only if it is its own. */
  origin = "null";
  answers = true;
  readonly #tab: FakeTab;

  constructor(tab: FakeTab, name: string) {
    this.#tab = tab;
    this.name = name;
    this.answers = tab.agentsAnswer;
  }

  show(url: string): void {
    this.shown.push(url);
    this.origin = new URL(url).origin;
  }

  get location(): { readonly href: string; readonly origin: string } {
    if (this.origin === "null") return { href: "about:blank", origin: "null" };
    if (this.origin === pageOrigin) return { href: `${pageOrigin}/`, origin: pageOrigin };
    throw new DOMException("Blocked from accessing a cross-origin frame.", "SecurityError");
  }

  postMessage(data: Posted, targetOrigin: string, [port]: readonly MessagePort[] = []): void {
    const message = structuredClone(data);
    if (targetOrigin !== this.origin || this.closed) return;
    this.received.push(port ? { ...message, port } : message);
    this.#answer(message, (pong) => this.say(pong));
    port?.addEventListener("message", (event) => {
      const message = event.data as Posted;
      this.received.push({ ...message, port });
      this.#answer(message, (pong) => port.postMessage(pong));
    });
    port?.start();
  }

  focus(): void {
    this.focused++;
  }

  close(): void {
    this.closed = true;
  }

  /** Posts to the page, from its own origin or the given one. */
  say(data: unknown, origin = this.origin): void {
    this.#tab.hear({ data, origin, source: this });
  }

  /** The messages of one type that it received. */
  payloads(type: string): Record<string, unknown>[] {
    return this.received.filter((message) => message.type === type).map(({ payload }) => payload);
  }

  /** The names of the tools in each message that it received. */
  get toolNames(): string[][] {
    return this.payloads("tools_list").map(({ tools }) => (tools as { name: string }[]).map(({ name }) => name));
  }

  #answer({ type, payload }: Posted, post: (pong: Posted) => void): void {
    if (type === "ping" && this.answers) post({ type: "pong", payload });
  }
}

/** A tab with its storage, and every window that was opened by name. */
export class FakeTab {
  readonly clock: FakeClock = createFakeClock();
  readonly stored = new Map<string, string>();
  readonly windows = new Map<string, FakeAgent>();
  readonly changes: string[] = [];
  readonly errors: unknown[] = [];
  blocksPopups = false;
  agentsAnswer = true;
  /** Called with each window as soon as it is opened. */
  opened = (_agent: FakeAgent): unknown => undefined;
  /** The properties of the page's window. */
  readonly traits = { origin: pageOrigin, crossOriginIsolated: false, hasFocus: true };
  #page = new EventTarget();

  /** The page's current window. */
  get page(): EventTarget {
    return this.#page;
  }

  /** The last opened window. */
  get agent(): FakeAgent {
    const last = [...this.windows.values()].at(-1);
    if (!last) throw new Error("No window was opened.");
    return last;
  }

  /** Milliseconds since 1970. */
  get date(): number {
    return 1_800_000_000_000 + this.clock.now();
  }

  environment(): BridgeEnvironment {
    const { stored, traits } = this;
    const self = Object.assign(this.#page, {
      open: (url: string, name: string, features?: string) => this.#open(url, name, features),
      document: { hasFocus: () => traits.hasFocus },
      ...{ screenX: 100, screenY: 50, outerWidth: 1200, outerHeight: 900 },
    });
    Object.defineProperties(self, {
      origin: { get: () => traits.origin, configurable: true },
      crossOriginIsolated: { get: () => traits.crossOriginIsolated, configurable: true },
    });
    return {
      clock: this.clock,
      date: () => this.date,
      newId: () => `id${stored.size}`,
      storage: {
        get: (name) => stored.get(name),
        set: (name, value) => void stored.set(name, value),
        remove: (name) => void stored.delete(name),
        names: () => [...stored.keys()],
      },
      // A bridge uses only these parts of a window.
      self: self as unknown as Window,
    };
  }

  /** A bridge in this tab's page; the tab records its changes and errors. */
  bridge(config: Partial<BridgeConfig> = {}): AgentBridge {
    const listening: BridgeConfig = {
      agentOrigin,
      onConnectionChange: (state, previous, reason) => {
        this.changes.push([previous, state, ...(reason ? [reason] : [])].join(" "));
      },
      onError: (error) => void this.errors.push(error),
      ...config,
    };
    return new AgentBridge(listening, this.environment());
  }

  /** Replaces the document by another. */
  reload(): void {
    this.#page.dispatchEvent(new Event("pagehide"));
    this.#page = new EventTarget();
  }

  /** A window that the page did not open. */
  agentNamed(name: string): FakeAgent {
    const agent = new FakeAgent(this, name);
    agent.show(agentOrigin);
    return agent;
  }

  hear(message: { readonly data: unknown; readonly origin: string; readonly source: unknown }): void {
    const data: unknown = structuredClone(message.data);
    queueMicrotask(() => this.#page.dispatchEvent(Object.assign(new Event("message"), { ...message, data })));
  }

  #open(url: string, name: string, features = ""): FakeAgent | null {
    let found = this.windows.get(name);
    if (!found || found.closed) {
      if (this.blocksPopups) return null;
      found = new FakeAgent(this, name);
      this.windows.delete(name);
      this.windows.set(name, found);
      found.features = features;
    }
    if (url !== "") found.show(url);
    this.opened(found);
    return found;
  }
}

/** A tab with a bridge that is connected to a window that it opened. */
export async function connected(config: Partial<BridgeConfig> = {}): Promise<{
  readonly tab: FakeTab;
  readonly bridge: AgentBridge;
  readonly agent: FakeAgent;
}> {
  // Preloads what the bridge loads once the window answers; a test with a fake clock must not wait for files.
  await import("./agent-calls.ts");
  const tab = new FakeTab();
  const bridge = tab.bridge(config);
  bridge.openAgent();
  await tab.clock.advance(300);
  return { tab, bridge, agent: tab.agent };
}
