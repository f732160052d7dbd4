// A page from the hub's point of view: it says hello, offers tools, and answers calls as the test wants.
import { createChannels } from "../../link/index.ts";
import { toPage } from "../../wire/index.ts";
import type { Tool } from "../../wire/index.ts";
import { openSocket, playPeer, shop } from "./peer.test-helper.ts";
import type { Opened, Peer } from "./peer.test-helper.ts";

/** A call as the page receives it. */
export interface GivenCall {
  readonly id: string;
  readonly name: string;
  readonly key?: string | undefined;
  readonly left: number;
  readonly arguments: string;
}

export interface TestPage extends Peer<typeof toPage> {
  /** The public id of its tab, once it is welcome. */
  readonly tabId: string;
  /** Every call that reached the page, in order. */
  readonly calls: readonly GivenCall[];
  /** The next call that reaches the page. */
  nextCall(): Promise<GivenCall>;
  /** Sends the hello and the offer, and resolves when the hub has both. */
  greet(): Promise<TestPage>;
  ack(id: string): void;
  result(id: string, payload: string): void;
}

export interface TestPageOptions {
  /** Null sends no Origin header at all. */
  readonly origin?: string | null;
  /** The origin that it says in its hello, as an extension does. */
  readonly claims?: string;
  readonly app?: string;
  readonly tab?: string;
  readonly title?: string;
  readonly token?: string;
  /** The certificate that the hub must have. */
  readonly ca?: string;
  readonly tools?: readonly (string | Tool)[];
  /** Whether it says that it can ask the person in front of it. */
  readonly approves?: boolean;
  /** The page's handling of a call; by default it acks and answers at once. */
  readonly handle?: (call: GivenCall, page: TestPage) => void;
}

/** A page's default answer. */
export const plainResult = '{"content":[{"type":"text","text":"done"}]}';

/** Makes a page that leaves all calls to the test. */
export const byHand = (): void => {};

/** Opens a page's socket without a hello. */
export async function openPage(url: string, options: TestPageOptions = {}): Promise<TestPage> {
  const { origin = shop, ca } = options;
  const headers: Record<string, string> = origin === null ? {} : { Origin: origin };
  return playPage(options, await openSocket(`${url}/page`, { headers, ...(ca === undefined ? {} : { ca }) }));
}

/** Connects a page and resolves when the hub has its offer. */
export async function connectPage(url: string, options: TestPageOptions = {}): Promise<TestPage> {
  const page = await openPage(url, options);
  return page.greet();
}

/** Opens one shared socket for many pages; each call of the returned function opens a channel without a hello. */
export async function openChannels(
  url: string,
  origin: string = shop,
): Promise<(options?: TestPageOptions) => TestPage> {
  const { socket, link } = await openSocket(`${url}/page`, {
    protocols: ["pagewire.channels.1"],
    headers: { Origin: origin },
  });
  const channels = createChannels(link, { onChannel: (channel) => channel.close() });
  return (options = {}) => playPage(options, { socket, link: channels.open() });
}

export function helloOf({ app = "shop", tab = "tab-1", title = "A shop", token, approves, claims }: TestPageOptions) {
  const credential = { ...(token === undefined ? {} : { token }), ...(claims === undefined ? {} : { origin: claims }) };
  // The same page reconnects, with its memory.
  const memory = { running: [], epochs: ["epoch"] };
  return { type: "hello", versions: [1], tab, app, title, focused: true, approves, ...memory, ...credential };
}

/** An offer of tools with these names. */
export function offerOf(tools: TestPageOptions["tools"] = ["work"]): string {
  const inputSchema = { type: "object", properties: {} };
  return JSON.stringify({
    tools: tools.map((tool) => (typeof tool === "string" ? { name: tool, inputSchema } : tool)),
  });
}

function playPage(options: TestPageOptions, opened: Opened): TestPage {
  const { handle = answer, tools } = options;
  const calls: GivenCall[] = [];
  const peer = playPeer(toPage, {
    ...opened,
    onFrame({ frame, payload }) {
      if (frame.type !== "call") return;
      const call = { ...frame, arguments: payload };
      calls.push(call);
      handle(call, page);
    },
  });
  const page: TestPage = {
    ...peer,
    calls,
    async nextCall() {
      const { frame, payload } = await peer.next("call");
      return { ...frame, arguments: payload };
    },
    ack: (id) => peer.send({ type: "ack", id }),
    result: (id, payload) => peer.send({ type: "result", id }, payload),
    async greet() {
      peer.send(helloOf(options));
      const { frame } = await peer.next("welcome");
      peer.send({ type: "offer" }, offerOf(tools));
      await peer.settled();
      return { ...page, tabId: frame.tab };
    },
    tabId: "",
  };
  return page;
}

function answer({ id }: GivenCall, page: TestPage): void {
  page.ack(id);
  page.result(id, plainResult);
}
