// A session of a client that is not run: its own first messages, over stdio or by HTTP, and its answers to a server's questions.
import { createInterface } from "node:readline";
import { spawnOwned } from "../../e2e/support/processes.ts";
import type { JsonBody } from "../model/model-format.ts";
import type { DocumentedClient } from "./documented-client.ts";

/** A program that a file names, and its whole surroundings. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface Session {
  request(method: string, params?: object): Promise<JsonBody>;
  /** Its list, read as far as this client reads it. */
  tools(): Promise<readonly JsonBody[]>;
  /** The methods of the server's notifications and of its questions. */
  readonly heard: readonly string[];
  close(): Promise<void>;
}

type Send = (message: object) => void;

/** Starts the program as the client does, with no more than these variables, and begins a session. */
export async function beginByStdio(client: DocumentedClient, { command, args, env, cwd }: Start): Promise<Session> {
  const owned = await spawnOwned(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  const { stdin, stdout } = owned.child;
  const session = createSession(client, (message) => void stdin?.write(`${JSON.stringify(message)}\n`));
  if (stdout) createInterface(stdout).on("line", (line) => session.receive(JSON.parse(line)));
  void owned.exited.then(() => session.fail(`The server has ended: ${owned.output()}`));
  const close = async () => {
    stdin?.end();
    await owned.closed;
  };
  return begin(client, { ...session, close });
}

/** Begins a session at an address, with these headers. */
export async function beginByHttp(
  client: DocumentedClient,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Session> {
  const known: Record<string, string> = {
    ...headers,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  };
  const session = createSession(client, (message) => {
    void post(message).catch((error: Error) => session.fail(error.message));
  });

  async function post(message: object): Promise<void> {
    const response = await fetch(url, { method: "POST", headers: known, body: JSON.stringify(message) });
    if (!response.ok) throw new Error(`The server answered with ${response.status}.`);
    const id = response.headers.get("mcp-session-id");
    if (id !== null) {
      known["mcp-session-id"] = id;
      known["mcp-protocol-version"] = client.hello.protocolVersion;
    }
    const text = await response.text();
    const isStream = response.headers.get("content-type")?.includes("event-stream");
    const parts = isStream ? text.split("\n").flatMap((line) => /^data: ?(.+)$/.exec(line)?.[1] ?? []) : [text];
    for (const part of parts.filter(Boolean)) session.receive(JSON.parse(part));
  }

  const close = async () => {
    await fetch(url, { method: "DELETE", headers: known });
  };
  return begin(client, { ...session, close });
}

interface Exchange extends Session {
  readonly notify: (method: string) => void;
}

async function begin({ hello, alsoLists }: DocumentedClient, session: Exchange): Promise<Session> {
  const { protocolVersion } = await session.request("initialize", hello);
  if (protocolVersion !== hello.protocolVersion) throw new Error(`The server speaks ${protocolVersion}.`);
  session.notify("notifications/initialized");
  for (const method of alsoLists) await session.request(method);
  return session;
}

function createSession(client: DocumentedClient, send: Send) {
  const waiting = new Map<number, { resolve(value: JsonBody): void; reject(error: Error): void }>();
  const heard: string[] = [];
  let last = 0;

  const request: Session["request"] = (method, params = {}) => {
    const id = ++last;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      send({ jsonrpc: "2.0", id, method, params });
    });
  };

  return {
    heard,
    request,
    notify: (method: string) => send({ jsonrpc: "2.0", method }),
    receive({ id, method, params, result, error }: JsonBody) {
      if (method !== undefined) {
        heard.push(method);
        if (id !== undefined) send({ jsonrpc: "2.0", id, ...answerOf(client, method, params) });
        return;
      }
      const waits = waiting.get(id);
      waiting.delete(id);
      if (error) waits?.reject(new Error(error.message));
      else waits?.resolve(result);
    },
    fail(why: string) {
      for (const { reject } of waiting.values()) reject(new Error(why));
      waiting.clear();
    },
    async tools() {
      const { tools, nextCursor } = await request("tools/list");
      const more: JsonBody[] = [];
      for (let cursor = client.readsAllPages ? nextCursor : undefined; cursor;) {
        const page = await request("tools/list", { cursor });
        more.push(...page.tools);
        cursor = page.nextCursor;
      }
      return [...tools, ...more];
    },
  };
}

/** Its answer to a question of the server: its user allows what a form asks about. */
function answerOf({ roots, hello }: DocumentedClient, method: string, params: JsonBody): object {
  if (method === "ping") return { result: {} };
  if (method === "roots/list" && Array.isArray(roots)) return { result: { roots } };
  if (method === "elicitation/create" && hello.capabilities.elicitation) {
    const fields = Object.entries<JsonBody>(params.requestedSchema.properties);
    const content = Object.fromEntries(
      fields.map(([name, { enum: choices, oneOf, type }]) => [
        name,
        choices?.[0] ?? oneOf?.[0]?.const ?? type === "boolean",
      ]),
    );
    return { result: { action: "accept", content } };
  }
  return { error: { code: -32601, message: "Method not found" } };
}
