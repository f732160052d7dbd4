// Another program listens at a hub's address, and answers as one. No command may send it a secret.
import { once } from "node:events";
import { Socket, connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { commandTable } from "../command-table.ts";
import { defaultPort } from "./find-hub.ts";
import { startImpostor, startRelay } from "../test-support/impostor.test-helper.ts";
import type { Impostor } from "../test-support/impostor.test-helper.ts";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

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

/** Connects to the impostor where the port is the one that hubs have by default, which tests do not listen on. */
function redirectDefaultPort(): void {
  const connect = Reflect.get(Socket.prototype, "connect") as (...given: unknown[]) => Socket;
  vi.spyOn(Socket.prototype, "connect").mockImplementation(function redirected(this: Socket, ...given: unknown[]) {
    const [first] = given.flat() as [{ port?: unknown } | undefined];
    if (first !== undefined && Number(first.port) === defaultPort) first.port = impostor.port;
    return connect.apply(this, given);
  });
}

/** Arguments for commands whose first example would have no effect, or cannot run in a test. */
const wordsOf: Readonly<Record<string, readonly string[]>> = {
  hub: ["--port", "0", "--no-code"],
  terminal: ["--port", "0", "--print"],
  mcp: ["--no-start"],
  "git-credential": ["get"],
  "copy-to-clipboard": ["some text"],
};

/** These signal the process that announced itself, here the test's own, and send a hub nothing but a health check. */
const signalling: readonly string[] = ["stop", "restart"];

const commands = Object.keys(commandTable).filter((name) => !signalling.includes(name));

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
  {
    how: "where a hub that still runs has been",
    prepare() {
      cli.state.announceHub({ url: impostor.url, port: impostor.port, pid: process.pid, version: "1" });
      return {};
    },
  },
  { how: "at PAGEWIRE_URL", prepare: () => ({ environment: { PAGEWIRE_URL: impostor.url } }) },
  { how: "at --hub", prepare: () => ({ words: ["--hub", impostor.url] }) },
  {
    how: "at PAGEWIRE_URL, with that hub's own secrets",
    prepare: () => ({ environment: { PAGEWIRE_URL: impostor.url, ...secrets } }),
  },
  {
    how: "at PAGEWIRE_URL, in a terminal of that hub",
    prepare: () => ({ environment: { PAGEWIRE_URL: impostor.url, ...terminal } }),
  },
  {
    how: "at localhost, with that hub's own secrets",
    prepare: () => ({ environment: { PAGEWIRE_URL: `http://localhost:${impostor.port}`, ...secrets } }),
  },
];

/** Secrets of a hub with another state directory. */
const secrets = { PAGEWIRE_TOKEN: "token-of-another-hub", PAGEWIRE_SHELL_KEY: "shell-key-of-another-hub" };

/** The environment of a terminal's programs. */
const terminal = { PAGEWIRE_TERMINAL: "terminal-1", PAGEWIRE_TERMINAL_TOKEN: `pagewire-terminal.${"t".repeat(43)}` };

function expectNoSecret(): void {
  const received = impostor.received();
  expect(received.toLowerCase()).not.toContain("authorization");
  expect(received).not.toContain("pagewire-proven");
  const lasting = [...Object.values(secrets), terminal.PAGEWIRE_TERMINAL_TOKEN];
  for (const secret of [cli.state.agentToken(), cli.state.shellKey(), ...lasting])
    expect(received).not.toContain(secret);
}

async function runOnce(name: string, { prepare }: Lead): Promise<void> {
  const { words = [], environment = {} } = prepare();
  const command = await commandTable[name]?.load();
  if (words.length > 0 && command?.options["hub"] === undefined) return;
  const [example = ""] = command?.examples ?? [];
  const own =
    wordsOf[name] ?? [...example.matchAll(/'([^']*)'|(\S+)/g)].slice(2).map(([, quoted, bare]) => quoted ?? bare ?? "");
  // Options for a hub that the command starts are refused together with a named hub.
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

test.each(commands.flatMap((name) => leads.map((lead) => ({ name, how: lead.how, lead }))))(
  "CL14: `$name` gives no secret to another program $how",
  async ({ name, lead }) => {
    await runOnce(name, lead);
    expectNoSecret();
  },
);

test.each(commands)(
  "CL60: `%s` gives nothing that lets anybody in to the hub of another user, nor to a relay to its own",
  async (name) => {
    const other = createTestIo();
    for (const owner of [other, cli]) {
      const hub = await startTestHub(owner);
      const relay = await startRelay(Number(new URL(hub.url).port));
      impostor.close();
      impostor = relay;
      const where = { url: relay.url, port: relay.port, pid: process.pid, version: "1" };
      cli.state.announceHub(where);
      await runOnce(name, { how: "", prepare: () => ({}) });
      expectNoSecret();
      await hub.close();
    }
    other.close();
  },
);

test("CL60: the error names the listening program, the owner of the hub, and a remedy", async () => {
  const other = createTestIo();
  const hub = await startTestHub(other);
  const { port, url } = { url: hub.url, port: Number(new URL(hub.url).port) };
  cli.state.announceHub({ url, port, pid: process.pid, version: "1" });
  expect(await cli.run("tabs")).toBe(4);
  expect(cli.err()).toContain(`What answers at ${url} did not prove that it is the hub of this token.`);
  expect(cli.err()).toContain("It seems to be the hub of another user or of another state directory");
  expect(cli.err()).toContain("The token was not sent.");
  const listener = process.platform === "linux" ? `It is process ${process.pid} (` : "";
  expect(cli.err()).toContain(listener);
  const relay = await startRelay(port);
  const [one, own] = [
    createTestIo({ environment: { PAGEWIRE_URL: relay.url, PAGEWIRE_TOKEN: other.state.agentToken() } }),
    `127.0.0.1:${port}`,
  ];
  expect(await one.run("tabs")).toBe(4);
  expect(one.err()).toContain(`passes on what it is sent to the hub at ${own}`);
  const { PAGEWIRE_URL, PAGEWIRE_TOKEN } = one.io.environment;
  const told = createTestIo({
    environment: { PAGEWIRE_URL, PAGEWIRE_TOKEN, PAGEWIRE_RELAY_TO: own } as Record<string, string>,
  });
  expect(await told.run("tabs")).toBe(0);
  relay.close();
  for (const each of [one, told]) each.close();
  await hub.close();
  other.close();
});

test("a relay ends its client's connection when the server behind it resets its own", async () => {
  const server = createServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const relay = await startRelay((server.address() as AddressInfo).port);
  const client = connect(relay.port, "127.0.0.1");
  client.resume().write("a request");
  await once(client, "close");
  relay.close();
  server.close();
});
