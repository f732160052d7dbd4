// Another program listens where a hub might, and answers as one. No command may give it a secret.
import { once } from "node:events";
import { createServer } from "node:http";
import { Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WebSocketServer } from "ws";
import { commandTable } from "./command-table.ts";
import { defaultPort } from "./find-hub.ts";
import { createTestIo } from "./test-io.test-helper.ts";
import type { TestIo } from "./test-io.test-helper.ts";

interface Impostor {
  readonly port: number;
  readonly url: string;
  /** Everything that it was sent. */
  readonly received: readonly string[];
  close(): void;
}

let impostor: Impostor;
let cli: TestIo;

beforeEach(async () => {
  impostor = await startImpostor();
  cli = createTestIo();
  cli.state.agentToken();
  cli.state.shellKey();
});
afterEach(() => {
  vi.restoreAllMocks();
  cli.close();
  impostor.close();
});

async function startImpostor(): Promise<Impostor> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${JSON.stringify(request.rawHeaders)}`);
    request.on("data", (chunk: Buffer) => received.push(chunk.toString("utf8")));
    request.on("end", () => response.end(request.url === "/healthz" ? "ok" : "{}"));
  });
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on("connection", (socket, request) => {
    received.push(`${request.url} ${JSON.stringify(request.rawHeaders)}`);
    socket.on("message", (data: Buffer) => {
      received.push(data.toString("utf8"));
      socket.close();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  };
  return { port, url: `http://127.0.0.1:${port}`, received, close };
}

/** Connects to the impostor where the port is the one that hubs have by default, which tests do not listen on. */
function redirectDefaultPort(): void {
  const connect = Reflect.get(Socket.prototype, "connect") as (...given: unknown[]) => Socket;
  vi.spyOn(Socket.prototype, "connect").mockImplementation(function redirected(this: Socket, ...given: unknown[]) {
    const [first] = given.flat() as [{ port?: unknown } | undefined];
    if (first !== undefined && Number(first.port) === defaultPort) first.port = impostor.port;
    return connect.apply(this, given);
  });
}

/** Words with which a command does what it does, where its first example would not, or not in a test. */
const wordsOf: Readonly<Record<string, readonly string[]>> = {
  hub: ["--port", "0", "--no-code"],
  terminal: ["--port", "0", "--print"],
  mcp: ["--no-start"],
  "git-credential": ["get"],
  "copy-to-clipboard": ["some text"],
};

const inputs: Readonly<Record<string, string>> = {
  mcp: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}\n',
  "git-credential": "protocol=https\nhost=git.example.com\n\n",
};

interface Lead {
  readonly how: string;
  prepare(): { readonly words?: readonly string[]; readonly environment?: Readonly<Record<string, string>> };
}

const leads: readonly Lead[] = [
  {
    how: "on the default port",
    prepare() {
      redirectDefaultPort();
      return {};
    },
  },
  {
    how: "where a hub that ended has been",
    prepare() {
      const info = { url: impostor.url, port: impostor.port, pid: 2 ** 30, version: "1" };
      writeFileSync(join(cli.home, "hub.json"), JSON.stringify(info), { mode: 0o600 });
      return {};
    },
  },
  { how: "at PAGEWIRE_URL", prepare: () => ({ environment: { PAGEWIRE_URL: impostor.url } }) },
  { how: "at --hub", prepare: () => ({ words: ["--hub", impostor.url] }) },
];

async function runOnce(name: string, { prepare }: Lead): Promise<void> {
  const { words = [], environment = {} } = prepare();
  const command = await commandTable[name]?.load();
  if (words.length > 0 && command?.options["hub"] === undefined) return;
  const [example = ""] = command?.examples ?? [];
  const own =
    wordsOf[name] ?? [...example.matchAll(/'([^']*)'|(\S+)/g)].slice(2).map(([, quoted, bare]) => quoted ?? bare ?? "");
  // What is for a hub that is started is refused where one is named.
  const given = name === "terminal" && words.length + Object.keys(environment).length > 0 ? ["--print"] : own;
  const one = createTestIo({ home: cli.home, environment });
  const ended = one.run(name, ...given, ...words);
  one.type(inputs[name] ?? "");
  if (name === "mcp") await one.wrote('"id":1');
  one.endInput();
  await Promise.race([ended, one.wrote("Ctrl-C stops it.")]);
  void one.interrupt();
  await ended;
}

test.each(Object.keys(commandTable).flatMap((name) => leads.map((lead) => ({ name, how: lead.how, lead }))))(
  "CL14: `$name` gives no secret to another program $how",
  async ({ name, lead }) => {
    await runOnce(name, lead);
    const received = impostor.received.join("\n");
    expect(received.toLowerCase()).not.toContain("authorization");
    expect(received).not.toContain(cli.state.agentToken());
    expect(received).not.toContain(cli.state.shellKey());
  },
);
