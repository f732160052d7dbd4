// An agent's window from the hub's point of view: it sends tools, opens the socket of its session, and answers calls as
// the test wants.
import { closeNameOf } from "../../../wire/index.ts";
import { askOwn } from "../../test-support/own.test-helper.ts";
import type { OwnAnswer } from "../../test-support/own.test-helper.ts";
import { openSocket } from "../../test-support/peer.test-helper.ts";

/** A message from the hub, as received. */
export interface CameCall {
  readonly type: string;
  readonly request_id: string;
  readonly tool_name: string;
  readonly arguments: unknown;
  readonly tool_call_id: string;
  readonly left: number;
}

export interface TestWindow {
  readonly protocol: string;
  /** All received messages, in order. */
  readonly came: readonly CameCall[];
  /** The next message that was not returned yet. */
  next(): Promise<CameCall>;
  say(message: unknown): void;
  sayText(text: string): void;
  answer(call: Pick<CameCall, "request_id">, result: unknown): void;
  fail(call: Pick<CameCall, "request_id">, error: unknown, code?: string): void;
  close(): Promise<void>;
  /** Disconnects without a close frame. */
  cut(): void;
  readonly closed: Promise<readonly [name: string | undefined, reason: string]>;
}

type Door = { readonly url: string; readonly token: string };

const shopOrigin = "https://shop.example";

/** A tool as a parent page declares it. */
export function parentTool(name: string, more: object = {}): object {
  const parameters = { type: "object", properties: { n: { type: "number" } } };
  return { name, description: `The app's ${name}`, parameters, ...more };
}

/** A tool that runs without a question. */
export function readingTool(name: string, more: object = {}): object {
  return parentTool(name, { annotations: { readOnlyHint: true }, ...more });
}

/** Sends tools; a text is sent as it is. */
export function postTools(hub: Door, offer: object | string, token: string = hub.token): Promise<OwnAnswer> {
  const body = typeof offer === "string" ? offer : JSON.stringify(offer);
  return askOwn(hub, "POST /api/parent-window/tools", { token, body });
}

/** Sends tools, and returns the session that has them. */
export async function offerTools(hub: Door, offer: object, token: string = hub.token): Promise<string> {
  const { status, body } = await postTools(hub, { origin: shopOrigin, ...offer }, token);
  if (status !== 200) throw new Error(`The hub refused the tools: ${JSON.stringify(body)}`);
  return String(body?.["session_id"]);
}

export interface OpenOptions {
  /** Null sends none. */
  readonly token?: string | null;
  readonly protocols?: readonly string[];
  /** Receives each message as it arrives. */
  readonly onCall?: (call: CameCall, window: TestWindow) => void;
}

/** Opens the socket of a session as a browser does. */
export async function openWindow(hub: Door, session: string, options: OpenOptions = {}): Promise<TestWindow> {
  const { token = hub.token, protocols = ["pagewire.window.1"], onCall = () => {} } = options;
  const { socket, link } = await openSocket(`${hub.url}/ws/parent-window/${session}`, {
    protocols: [...protocols, ...(token === null ? [] : [`pagewire.bearer.${token}`])],
    headers: { Origin: hub.url },
  });
  const came: CameCall[] = [];
  let taken = 0;
  let look = () => {};
  const closed = new Promise<readonly [string | undefined, string]>((resolve) => {
    link.start({
      message(text) {
        const message = JSON.parse(String(text)) as CameCall;
        came.push(message);
        look();
        onCall(message, window);
      },
      closed: ({ code, reason }) => resolve([closeNameOf(code), reason]),
    });
  });
  const say = (message: unknown) => link.send(JSON.stringify(message));
  const respond = (request_id: string, response: object) => say({ type: "tool_response", request_id, response });
  const window: TestWindow = {
    protocol: socket.protocol,
    came,
    closed,
    say,
    sayText: (text) => link.send(text),
    next: () =>
      new Promise((resolve) => {
        const at = taken++;
        const former = look;
        look = () => {
          former();
          const message = came[at];
          if (message) resolve(message);
        };
        look();
      }),
    answer: ({ request_id }, result) => respond(request_id, { success: true, result }),
    fail: ({ request_id }, error, code) => respond(request_id, { success: false, error, code }),
    async close() {
      socket.close();
      await closed;
    },
    cut: () => socket.terminate(),
  };
  return window;
}
