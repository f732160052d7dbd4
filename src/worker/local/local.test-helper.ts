// A worker that serves, with pages, hubs and clients that a test plays by hand.
import { createMemoryLinks } from "../../link/index.ts";
import type { Link } from "../../link/index.ts";
import { createFakeClock, recordLink } from "../../testing/index.ts";
import type { FakeClock } from "../../testing/index.ts";
import { encodeText, splitText } from "../../wire/index.ts";
import type { CloseReason, FrameFromPage, FrameToPage, Json, JsonObject, Limits, Tool } from "../../wire/index.ts";
import { createServing } from "../create-serving.ts";
import type { Serving } from "../create-serving.ts";

/** A received frame, with its payload. Frames about a call have its id. */
export type Heard = Readonly<Record<"type" | "id" | "name" | "payload", string>> & Readonly<Record<string, Json>>;

/** One end of a link, played by hand. */
export interface Hand<Frame> {
  readonly link: Link;
  readonly heard: readonly Heard[];
  readonly closings: readonly CloseReason[];
  /** Called with each frame that arrives. */
  onFrame: (frame: Heard) => void;
  say(frame: Frame, payload?: string): void;
  of(type: string): readonly Heard[];
}

export interface LocalWorld {
  readonly clock: FakeClock;
  readonly serving: Serving;
  readonly hub: { answers: "yes" | "no" | "never"; readonly links: Hand<FrameToPage>[] };
  readonly errors: unknown[];
  /** A page's link to the worker; it has not sent hello. */
  open(): Promise<Hand<FrameFromPage>>;
  client(options?: { readonly token?: string; readonly gone?: AbortSignal }): RawClient;
  /** Waits until everything that needs no timer has settled. */
  settle(): Promise<void>;
}

/** A client that posts messages on its port, and waits for the answers by their ids. */
export interface RawClient {
  readonly port: MessagePort;
  readonly notifications: JsonObject[];
  ask(method: string, params?: JsonObject): Promise<JsonObject>;
  post(message: unknown): void;
  /** The next message that does not answer an `ask`. */
  next(): Promise<unknown>;
}

const address = "ws://hub.example/page";
export const origin = "https://shop.example";

export function createLocalWorld(limits: Partial<Limits> = {}): LocalWorld {
  const clock = createFakeClock();
  const errors: unknown[] = [];
  const hub: LocalWorld["hub"] = { answers: "yes", links: [] };
  const serving = createServing({
    clock,
    origin,
    limits,
    random: () => 0.5,
    onError: (error) => errors.push(error),
    sockets: {
      async carry(_, link) {
        if (hub.answers === "no") throw new Error("No hub answers.");
        if (hub.answers === "never") await new Promise(() => {});
        hub.links.push(createHand<FrameToPage>(link));
      },
    },
  });
  return {
    clock,
    serving,
    hub,
    errors,
    async open() {
      const [near, far] = createMemoryLinks();
      await serving.carry(address, far, () => {});
      return createHand<FrameFromPage>(near);
    },
    client({ token, gone = new AbortController().signal } = {}) {
      const { port1, port2 } = new MessageChannel();
      serving.serveClient(port2, token, gone);
      return createRawClient(port1);
    },
    settle: () => clock.advance(0),
  };
}

function createHand<Frame extends object>(link: Link): Hand<Frame> {
  const heard: Heard[] = [];
  const { closings } = recordLink(link, (message) => {
    const { line, payload } = splitText(String(message));
    const header = line.startsWith("{") ? (JSON.parse(line) as Heard) : { type: line };
    const frame = { ...header, payload } as Heard;
    heard.push(frame);
    hand.onFrame(frame);
  });
  const hand: Hand<Frame> = {
    link,
    heard,
    closings,
    onFrame: () => {},
    say: (frame, payload) => link.send(encodeText(frame, payload)),
    of: (type) => heard.filter((frame) => frame.type === type),
  };
  return hand;
}

function createRawClient(port: MessagePort): RawClient {
  const notifications: JsonObject[] = [];
  const waiting = new Map<unknown, (message: JsonObject) => void>();
  const others: unknown[] = [];
  let tellNext: ((message: unknown) => void) | undefined;
  let count = 0;
  // A port with a listener keeps a program alive.
  (port as unknown as { unref?(): void }).unref?.();
  port.onmessage = ({ data }: MessageEvent<JsonObject>) => {
    const settle = waiting.get(data["id"]);
    waiting.delete(data["id"]);
    if (settle) return settle(data);
    if (data["method"] !== undefined) notifications.push(data);
    if (tellNext) tellNext(data);
    else others.push(data);
    tellNext = undefined;
  };
  return {
    port,
    notifications,
    post: (message) => port.postMessage(message),
    ask(method, params) {
      const id = `ask ${count++}`;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        port.postMessage({ jsonrpc: "2.0", id, method, ...(params && { params }) });
      });
    },
    next: async () => (others.length > 0 ? others.shift() : new Promise((resolve) => (tellNext = resolve))),
  };
}

export function toolNamed(name: string, more: Partial<Tool> = {}): Tool {
  return { name, inputSchema: { type: "object" }, ...more };
}

/** A page's first frame. */
export function helloOf(more: Partial<Extract<FrameFromPage, { type: "hello" }>> = {}): FrameFromPage {
  return { type: "hello", versions: [1], tab: "tab-1234", app: "shop", focused: true, running: [], ...more };
}

/** The parameters of a request of the newest revision. */
export function inNewest(params: JsonObject = {}, meta: JsonObject = {}): JsonObject {
  return {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      ...meta,
    },
  };
}

/** An unsigned token with these claims. */
export function tokenOf(claims: JsonObject): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`;
}
