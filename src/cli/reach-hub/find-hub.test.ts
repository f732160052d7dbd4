import { afterEach, beforeEach, expect, test } from "vitest";
import { hubShellKey, hubToken, hubUrl } from "./find-hub.ts";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

let cli: TestIo;

beforeEach(() => {
  cli = createTestIo();
});
afterEach(() => cli.close());

const running = { url: "http://127.0.0.1:7400", port: 7400, pid: process.pid, version: "1" };

test("CL14: the hub is the named one, else PAGEWIRE_URL, else the one of this state directory, else none", () => {
  const { io, state } = cli;
  const withUrl = { ...io, environment: { ...io.environment, PAGEWIRE_URL: "https://hub.example" } };
  expect(() => hubUrl(undefined, io, state)).toThrow(
    `No hub of the state directory ${cli.home} runs. Start it with: npx pagewire.`,
  );
  state.announceHub(running);
  expect(hubUrl(undefined, io, state)).toBe("http://127.0.0.1:7400");
  expect(hubUrl(undefined, withUrl, state)).toBe("https://hub.example");
  expect(hubUrl("http://127.0.0.1:1", withUrl, state)).toBe("http://127.0.0.1:1");
});

test.each(["http://127.0.0.1:7400", "http://localhost:7400/", "http://hub.localhost:7400", "ws://127.0.0.1:7400"])(
  "CL14: %s names the hub of this state directory and is given its token",
  (url) => {
    expect(() => hubToken(url, cli.io, cli.state)).toThrow(`runs at ${url}.`);
    cli.state.announceHub(running);
    // Another program may listen at the other addresses of localhost.
    expect(hubUrl(url, cli.io, cli.state)).toBe(running.url);
    expect(hubUrl(undefined, { environment: { PAGEWIRE_URL: url } }, cli.state)).toBe(running.url);
    expect(hubToken(url, cli.io, cli.state)).toBe(cli.state.agentToken());
    expect(hubShellKey(url, cli.io, cli.state)).toBe(cli.state.shellKey());
  },
);

test.each([
  "http://127.0.0.1:7337",
  "http://localhost",
  "ws://[::1]:7400",
  "http://127.8.9.1:7400",
  "https://127.0.0.1:7400",
])(
  "CL14: %s is on this machine, is not where the hub of this state directory runs, and is given a token only by name",
  (url) => {
    const { io, state } = cli;
    state.announceHub(running);
    expect(() => hubToken(url, io, state)).toThrow("PAGEWIRE_TOKEN");
    expect(() => hubShellKey(url, io, state)).toThrow("PAGEWIRE_SHELL_KEY");
    expect(hubToken(url, { ...io, environment: { PAGEWIRE_TOKEN: "its-own" } }, state)).toBe("its-own");
  },
);

test.each(["https://hub.example", "http://10.0.0.7:7337", "http://127.0.0.1.evil.example", "http://localhost.example"])(
  "CL14: %s is elsewhere and is never given this machine's token",
  async (url) => {
    expect(() => hubToken(url, cli.io, cli.state)).toThrow("PAGEWIRE_TOKEN");
    expect(await cli.run("tabs", "--hub", url)).toBe(4);
    const { io, state } = cli;
    expect(hubToken(url, { ...io, environment: { PAGEWIRE_TOKEN: "its-own" } }, state)).toBe("its-own");
  },
);

test("CL14: an invalid address is refused", async () => {
  expect(await cli.run("tabs", "--hub", "nowhere")).toBe(2);
  expect(cli.err()).toContain('"nowhere" is not the address of a hub.');
});

test("CL14: a given token is the one that the hub must prove", async () => {
  const other = createTestIo();
  const hub = await startTestHub(other);
  const environment = { PAGEWIRE_TOKEN: other.state.agentToken() };
  const given = createTestIo({ environment });
  expect(await given.run("tabs", "--hub", hub.url)).toBe(0);
  const wrong = createTestIo({ environment: { PAGEWIRE_TOKEN: "given-token" } });
  expect(await wrong.run("tabs", "--hub", hub.url)).toBe(4);
  await hub.close();
  for (const each of [given, wrong, other]) each.close();
});
