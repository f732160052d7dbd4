// A hub's endpoint for terminals, with a tab whose answers the test controls.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { formatAddress, givenKeyText, proofText } from "../../wire/index.ts";

const token = "pagewire-terminal.0123456789abcdef";

export type TabQuestion = Readonly<Record<string, unknown>>;

/** The tab's answer: a structured value, or an error with this code. */
export type TabAnswer = { readonly structured: unknown } | { readonly code: string; readonly detail: string };

export interface ScriptedTab {
  /** The environment of a terminal of this tab. */
  readonly environment: Readonly<Record<string, string>>;
  readonly questions: readonly TabQuestion[];
  asked(operation: string): readonly TabQuestion[];
  /** Resolves once the tab has received `count` requests. */
  untilAsked(count: number): Promise<void>;
  /** Resolves once a caller went away without its answer. */
  readonly untilLeft: Promise<void>;
  /** Sets its answers from now on; undefined is an empty answer. */
  answer(respond: (question: TabQuestion) => TabAnswer | undefined | Promise<TabAnswer | undefined>): void;
  close(): Promise<void>;
}

export async function createScriptedTab(): Promise<ScriptedTab> {
  const questions: TabQuestion[] = [];
  let respond: Parameters<ScriptedTab["answer"]>[0] = () => undefined;
  let heard = () => {};
  let left = () => {};
  const untilLeft = new Promise<void>((resolve) => (left = resolve));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (request.url?.startsWith("/api/proof?")) return send(200, proofFor(request));
    if (request.headers.authorization !== `Bearer ${token}`) return send(401, { detail: "Invalid workspace token" });
    if (request.url !== "/api/browser-delegate") return send(404, { detail: "Not Found" });
    const question = JSON.parse(await bodyOf(request)) as TabQuestion;
    questions.push(question);
    heard();
    response.on("close", () => !response.writableEnded && left());
    const answer = await respond(question);
    if (answer === undefined) return send(200, { cmd: "browser_response", id: "1", status: "ok", result: "" });
    if ("code" in answer) return send(502, { ...answer, outcome: "tool-error", ran: "yes" });
    const result = JSON.stringify(answer.structured);
    send(200, { cmd: "browser_response", id: "1", status: "ok", result, ...answer });
  }
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    environment: {
      PAGEWIRE_URL: `http://127.0.0.1:${port}`,
      PAGEWIRE_TERMINAL: "terminal-1",
      PAGEWIRE_TERMINAL_TOKEN: token,
    },
    questions,
    asked: (operation) => questions.filter((question) => question["operation"] === operation),
    async untilAsked(count) {
      while (questions.length < count) await new Promise<void>((resolve) => (heard = resolve));
    },
    untilLeft,
    answer: (given) => void (respond = given),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request.setEncoding("utf8") as AsyncIterable<string>) text += part;
  return text;
}

/** Proves, as a hub does, that it knows the terminal. */
function proofFor({ url, socket }: IncomingMessage): object {
  const nonce = new URL(url ?? "", "http://hub").searchParams.get("nonce") ?? "";
  const [answer, expiresAt] = ["a".repeat(43), Date.now() + 60_000];
  const address = formatAddress(socket.localAddress ?? "", socket.localPort ?? 0);
  const code = (key: string, text: string) => createHmac("sha256", key).update(text).digest("base64url");
  const text = proofText({ secret: "given", nonce, answer, expiresAt }, address);
  return { address, answer, expiresAt, proof: code(code(token, givenKeyText), text) };
}
