// A program in a terminal, from the hub's point of view: it sends the terminal's token, and asks the tab to act.
import { once } from "node:events";
import { request } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { answerTo } from "../../test-support/http.test-helper.ts";
import type { HttpAnswer } from "../../test-support/http.test-helper.ts";
import { askOwn } from "../../test-support/own.test-helper.ts";
import type { OwnAnswer } from "../../test-support/own.test-helper.ts";
import { connectPage } from "../../test-support/page.test-helper.ts";
import type { GivenCall, TestPage, TestPageOptions } from "../../test-support/page.test-helper.ts";

export interface TestTerminal {
  readonly id: string;
  readonly token: string;
}

export interface DelegateAnswer extends HttpAnswer {
  readonly json: Readonly<Record<string, unknown>>;
}

export interface DelegateRequest {
  /** Fields of the body. The terminal's own id is added unless another is given. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** The whole body, instead of fields. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The part of the path after the door's. */
  readonly path?: string;
  readonly prefix?: string;
}

type Door = Pick<TestHub, "url" | "token">;

/** An agent's request about terminals. */
export function askTerminals(hub: Door, asked: string, body?: object): Promise<OwnAnswer> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return askOwn(hub, asked, { token: hub.token, origin: undefined, ...sent });
}

/** Creates a terminal as the command does, and attaches it to a tab if one is given. */
export async function openTerminal(hub: Door, tab?: string): Promise<TestTerminal> {
  const { body } = await askTerminals(hub, "POST /api/terminals", { name: "main" });
  const terminal = body as unknown as TestTerminal;
  if (tab !== undefined) await askTerminals(hub, `POST /api/terminals/${terminal.id}/attach`, { tab });
  return terminal;
}

/** A page with a terminal attached. */
export async function openBoth(
  hub: Door,
  options: TestPageOptions = {},
): Promise<{ readonly page: TestPage; readonly terminal: TestTerminal }> {
  const page = await connectPage(hub.url, options);
  return { page, terminal: await openTerminal(hub, page.tabId) };
}

/** Starts a request for an action that can be destroyed. */
export function beginDelegate(hub: Door, terminal: TestTerminal, given: DelegateRequest = {}): ClientRequest {
  const { fields = {}, headers = {}, path = "", prefix = "/api" } = given;
  const method = path === "/actions" ? "GET" : "POST";
  const sent = request(`${hub.url}${prefix}/browser-delegate${path}`, {
    method,
    agent: false,
    headers: { Authorization: `Bearer ${terminal.token}`, "Content-Type": "application/json", ...headers },
  });
  // The caller sees the error when it awaits the answer.
  sent.on("error", () => {});
  if (method === "GET") sent.end();
  else sent.end(given.body ?? JSON.stringify({ action: "work", browser_id: terminal.id, ...fields }));
  return sent;
}

export async function delegate(
  hub: Door,
  terminal: TestTerminal,
  given: DelegateRequest = {},
): Promise<DelegateAnswer> {
  const answer = await answerTo(beginDelegate(hub, terminal, given));
  return { ...answer, json: JSON.parse(answer.text) as DelegateAnswer["json"] };
}

/** An answer's status, code and message. */
export function toldIn({ status, json }: DelegateAnswer): readonly unknown[] {
  return [status, json["code"], json["detail"]];
}

export interface DelegateStream {
  readonly response: IncomingMessage;
  /** The next line; undefined at the end. */
  next(): Promise<Readonly<Record<string, unknown>> | undefined>;
  readonly sent: ClientRequest;
}

/** Starts a stream. Its lines are read as they arrive. */
export async function openStream(
  hub: Door,
  terminal: TestTerminal,
  given: DelegateRequest = {},
): Promise<DelegateStream> {
  const sent = beginDelegate(hub, terminal, { ...given, path: "/stream" });
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const lines = linesOf(response);
  return {
    response,
    sent,
    async next() {
      const { value } = await lines.next();
      return value === undefined ? undefined : (JSON.parse(value) as Record<string, unknown>);
    },
  };
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<string, undefined> {
  let text = "";
  for await (const chunk of response) {
    text += String(chunk);
    const [...lines] = text.split("\n");
    text = lines.pop() ?? "";
    yield* lines;
  }
  return undefined;
}

/** Answers each call with this result. */
export const answering =
  (...payloads: readonly string[]) =>
  (call: GivenCall, page: TestPage): void => {
    page.ack(call.id);
    page.result(call.id, payloads[(page.calls.length - 1) % payloads.length] ?? "");
  };

/** Sends a chunk of a call's answer. */
export function sayChunk(page: TestPage, id: string, delta: unknown): void {
  page.send({ type: "log", id, level: "info", logger: "pagewire.chunk" }, JSON.stringify(delta));
}
