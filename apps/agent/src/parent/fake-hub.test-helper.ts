import type { CallOptions, ParentLinkOptions, ParentLinkState, WindowTool } from "pagewire/agent-window";
import { createMemoryLinks } from "pagewire/link";
import type { Link } from "pagewire/link";
import { createFakeClock } from "pagewire/testing";
import { closeReason, createBatch, parseJsonObject, splitBatch } from "pagewire/wire";
import type { CloseName, JsonObject } from "pagewire/wire";
import { onTestFinished } from "vitest";
import type { Session } from "../../../common/src/session/session.ts";
import { connectParent } from "./connect-parent.ts";

export const shop = "https://shop.example";
export const conversation = "0123456789abcdef0123456789abcdef";
export const salesTool: WindowTool = { name: "get_sales_data", description: "Sales", parameters: { type: "object" } };

/** A call that the relay made in the parent page. */
interface MadeCall extends CallOptions {
  readonly name: string;
  readonly args: JsonObject;
  resolve(result: unknown): void;
  /** Resolves with the page's text, unchanged. */
  resolveText(text: string): void;
  reject(error: unknown): void;
}

const callOf = (request_id: string) => ({
  type: "tool_call",
  request_id,
  tool_name: "get_sales_data",
  arguments: { days: 30 },
  tool_call_id: `model-${request_id}`,
  left: 20_000,
});

/** The hub's end of a socket. */
class FakeSocket {
  /** Without each window's initial hello. */
  readonly heard: JsonObject[] = [];
  readonly texts: string[] = [];
  /** Number of received messages, each of which may be a batch. */
  messages = -1;
  isOpen = true;
  readonly conversation: string;
  #link: Link;

  constructor(conversation: string, link: Link) {
    this.conversation = conversation;
    this.#link = link;
    link.start({
      message: (message) => {
        this.messages += 1;
        for (const text of splitBatch(String(message))) {
          const read = parseJsonObject(text, 64) ?? {};
          if (read["type"] === "hello") continue;
          this.texts.push(text);
          this.heard.push(read);
        }
      },
      closed: () => (this.isOpen = false),
    });
  }

  send(message: object | string): void {
    this.#link.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  call(request_id: string, more: object = {}): void {
    this.send({ ...callOf(request_id), ...more });
  }

  /** Makes these calls in one message. */
  callTogether(...ids: readonly string[]): void {
    const batch = createBatch((message) => this.#link.send(message));
    for (const id of ids) batch.add(JSON.stringify(callOf(id)));
    batch.flush();
  }

  close(name: CloseName): void {
    this.#link.close(closeReason(name));
  }
}

/** A parent page and a hub, with a record of what the relay did. */
export function makeRelayWorld() {
  const clock = createFakeClock();
  const offers: JsonObject[] = [];
  const sockets: FakeSocket[] = [];
  const calls: MadeCall[] = [];
  const tokens: string[] = [];
  let woken = () => {};
  let options: ParentLinkOptions | undefined;
  const page = {
    state: { kind: "waiting" } as ParentLinkState,
    tools: [] as readonly WindowTool[],
    callTool: (name: string, args: JsonObject, given: CallOptions = {}) =>
      new Promise<unknown>((resolve, reject) => {
        const answer = (result: unknown) => resolve(given.asText ? JSON.stringify(result ?? null) : result);
        calls.push({ name, args, resolve: answer, resolveText: resolve, reject, ...given });
        given.signal?.addEventListener("abort", () => reject(new Error("aborted")));
      }),
    checkOrigin() {
      const allowed = options?.allowedOrigins;
      const { state } = page;
      if (typeof allowed !== "function" || !("origin" in state) || state.origin === undefined) return;
      if (state.kind === "refused" || allowed().includes(state.origin)) return;
      page.state = { kind: "refused", origin: state.origin };
      page.tools = [];
      options?.onStateChange?.(page.state, state);
    },
    close: () => {},
  };
  const hub = {
    /** The hub's answer to a POST; by default it accepts it. */
    post: async (_body: JsonObject): Promise<unknown> => ({}),
    parentOrigins: [shop],
    /** The hub's information about itself, if it is not available at once. */
    app: undefined as (() => Promise<unknown>) | undefined,
    isAway: false,
  };
  const session: Session = {
    bearer: async () => "pagewire-app.token",
    info: {
      version: "1",
      mode: "local",
      principal: "local",
      model: null,
      parentOrigins: [shop],
      demo: null,
      terminals: false,
    },
    async request(method, path, body) {
      if (hub.isAway) throw new Error("The hub is away.");
      if (`${method} ${path}` === "GET /api/app") return (await hub.app?.()) ?? { parentOrigins: hub.parentOrigins };
      if (`${method} ${path}` !== "POST /api/parent-window/tools") throw new Error(`There is no ${method} ${path}.`);
      const offer = structuredClone(body) as JsonObject;
      offers.push(offer);
      return hub.post(offer);
    },
    signOut: async () => {},
  };
  const parent = connectParent(session, {
    clock,
    random: () => 1,
    createLink(given) {
      options = given;
      return page;
    },
    async openSocket(conversation, token) {
      if (hub.isAway) throw new Error("The hub is away.");
      tokens.push(token);
      const [ours, theirs] = createMemoryLinks();
      sockets.push(new FakeSocket(conversation, theirs));
      return ours;
    },
    // The messages that wait are those of this turn.
    afterMessages: (run) => clock.after(0, run),
    onWoken(listener) {
      woken = listener;
      return () => {};
    },
  });
  onTestFinished(() => parent.close());
  return {
    clock,
    hub,
    page,
    parent,
    offers,
    sockets,
    calls,
    tokens,
    wake: () => woken(),
    /** The link's current state and tools. */
    get link() {
      if (!options) throw new Error("No link was made.");
      return options;
    },
    /** The page connects, or offers something else. */
    connect(...tools: readonly WindowTool[]) {
      page.state = { kind: "connected", origin: shop, via: "port" };
      page.tools = tools;
      options?.onStateChange?.(page.state, { kind: "waiting" });
    },
    settle: () => clock.advance(0),
  };
}

/** A window whose page is connected and whose conversation has a socket. */
export async function attached() {
  const world = makeRelayWorld();
  world.connect(salesTool);
  world.parent.attach(conversation, { otherTabs: false });
  await world.settle();
  const [socket] = world.sockets;
  if (!socket) throw new Error("No socket was opened.");
  return { ...world, world, socket };
}
