// A command is refused by a hub, or finds none: the explanation for its user, as text and as JSON.
import { afterEach, beforeEach, expect, test } from "vitest";
import { certificate } from "../../../test/support/certificates.ts";
import { createHub, signAgentToken } from "../../hub/index.ts";
import type { Hub } from "../../hub/index.ts";
import { startImpostor } from "../test-support/impostor.test-helper.ts";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

const old = "the-token-before-it-was-rotated";
const secret = "a secret that is only for these tests, and long";
const commands = ["tabs", "tools", "call get_title", "watch", "pins list", "open --print"];

let cli: TestIo;
const closing: (() => unknown)[] = [];
beforeEach(() => {
  cli = createTestIo();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  cli.close();
});

interface Said {
  readonly exit: number;
  readonly code: string;
  readonly message: string;
}

/** Runs a command line with the state directory of the test, as text and as JSON: both must explain the same. */
async function say(line: string, environment: Readonly<Record<string, string>> = {}): Promise<Said> {
  const [people, programs] = [
    createTestIo({ home: cli.home, environment }),
    createTestIo({ home: cli.home, environment }),
  ];
  const exit = await people.run(...line.split(" "));
  expect(await programs.run(...line.split(" "), "--json")).toBe(exit);
  const { error } = JSON.parse(programs.err()) as { error: { code: string; message: string } };
  expect(people.err()).toBe(`Error: ${error.message}\n`);
  expect([people.out(), programs.out()]).toEqual(["", ""]);
  return { exit, ...error };
}

async function openHub(options: Parameters<typeof createHub>[0]): Promise<Hub> {
  const hub = await createHub({ port: 0, ...options });
  closing.push(hub.close);
  return hub;
}

async function own(): Promise<string> {
  const hub = await startTestHub(cli);
  closing.push(hub.close);
  return hub.url;
}

test.each(commands)(
  "`%s` with the token from before it was rotated is told that, for the user's own hub",
  async (line) => {
    const url = await own();
    const { exit, code, message } = await say(line, { PAGEWIRE_TOKEN: old });
    expect([exit, code]).toEqual([4, "token-invalid"]);
    expect(message).toBe(
      `The hub at ${url} is that of your state directory ${cli.home}, but PAGEWIRE_TOKEN holds another token than it takes, as after: npx pagewire token rotate. Unset PAGEWIRE_TOKEN, or put the new one there: npx pagewire token show. The token was not sent.`,
    );
  },
);

test("an MCP client that starts `pagewire mcp` with an old token gets the same message", async () => {
  await own();
  const proxy = createTestIo({ home: cli.home, environment: { PAGEWIRE_TOKEN: old } });
  const ended = proxy.run("mcp");
  const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
  proxy.type(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } })}\n`);
  await proxy.wrote('"id":1');
  proxy.endInput();
  await ended;
  expect(proxy.out()).toContain("but PAGEWIRE_TOKEN holds another token than it takes");
});

test("a program that listens at the address of the own hub is not taken for it", async () => {
  const impostor = await startImpostor();
  closing.push(impostor.close);
  cli.state.announceHub({ url: impostor.url, port: impostor.port, pid: process.pid, version: "1" });
  for (const environment of [{}, { PAGEWIRE_TOKEN: old }]) {
    const { exit, code, message } = await say("tabs", environment);
    expect([exit, code]).toEqual([4, "hub-not-proven"]);
    expect(message).toContain("It is no hub. End that program");
  }
  expect(impostor.received()).not.toContain(cli.state.agentToken());
});

test("the error for an outdated address of the hub names the current one", async () => {
  const url = await own();
  const elsewhere = `The hub of your state directory runs at ${url}: leave out --hub and PAGEWIRE_URL to use that one.`;
  const nobody = await say("tabs --hub http://127.0.0.1:1");
  expect([nobody.exit, nobody.code, nobody.message.includes(elsewhere)]).toEqual([3, "hub-unreachable", true]);
  expect(nobody.message).not.toContain("Start it");
  const withToken = await say("tabs", { PAGEWIRE_URL: "http://127.0.0.1:1", PAGEWIRE_TOKEN: old });
  expect([withToken.exit, withToken.code]).toEqual([3, "hub-unreachable"]);
  expect(withToken.message).toContain(elsewhere);
  const impostor = await startImpostor();
  closing.push(impostor.close);
  const taken = await say("tabs", { PAGEWIRE_URL: impostor.url, PAGEWIRE_TOKEN: old });
  expect([taken.exit, taken.code]).toEqual([4, "hub-not-proven"]);
  expect(taken.message).toContain(elsewhere);
});

test("the error for a hub in jwt mode names the token that it needs", async () => {
  const { url, port } = await openHub({ jwt: { secret } });
  cli.state.announceHub({ url, port, pid: process.pid, version: "1" });
  for (const line of ["tabs", "pins list"]) {
    const { exit, code, message } = await say(line);
    expect([exit, code]).toEqual([4, "token-required"]);
    expect(message).toBe(
      `What answers at ${url} says that it takes only tokens that the app's server signed (jwt mode). Bring one for the audience pagewire:agent: put it into PAGEWIRE_TOKEN. The token was not sent.`,
    );
  }
  const signed = createTestIo({
    home: cli.home,
    environment: { PAGEWIRE_TOKEN: await signAgentToken({ secret, subject: "ann" }) },
  });
  expect(await signed.run("tabs")).toBe(0);
  signed.close();
});

test("an untrusted certificate is reported with a remedy", async () => {
  const { url, port } = await openHub({ jwt: { secret }, tls: () => certificate });
  cli.state.announceHub({ url, port, pid: process.pid, version: "1" });
  const token = { PAGEWIRE_TOKEN: await signAgentToken({ secret, subject: "ann" }) };
  for (const line of ["tabs", "call get_title", "pins list", "open --print"]) {
    const { exit, code, message } = await say(line, token);
    expect([exit, code]).toEqual([3, "hub-unreachable"]);
    expect(message).toContain("certificate");
    expect(message).toContain("NODE_EXTRA_CA_CERTS=ca.pem");
    expect(message).not.toContain("Start it");
  }
  const doctor = createTestIo({ home: cli.home, environment: token });
  expect(await doctor.run("doctor")).toBe(3);
  expect(doctor.out()).toContain("NODE_EXTRA_CA_CERTS=ca.pem");
  expect(doctor.out()).not.toContain("it is no hub");
  doctor.close();
});
