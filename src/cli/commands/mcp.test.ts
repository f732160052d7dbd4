import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { modern } from "../mcp/test-support/messages.test-helper.ts";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo, TestIoOptions } from "../test-support/test-io.test-helper.ts";

let cli: TestIo;

const open = (options?: TestIoOptions) => {
  cli?.close();
  cli = createTestIo(options);
};
beforeEach(() => open());
afterEach(() => cli.close());

test("the help explains its purpose, the hub that it uses, and how to configure a client", async () => {
  expect(await cli.run("mcp", "--help")).toBe(0);
  for (const part of ["--tab ID", "--hub URL", "--port N", "--no-start", "hub.log", "npx pagewire mcp"]) {
    expect(cli.out()).toContain(part);
  }
});

test.each([
  [["--hub", "nowhere"], 2, '"nowhere" is not the address of a hub.'],
  [["--hub", "ftp://127.0.0.1"], 2, "is not the address of a hub."],
  [["--hub", "http://user:word@127.0.0.1"], 2, "is not the address of a hub."],
  [["--hub", "https://hub.example"], 4, "PAGEWIRE_TOKEN"],
  [["--port", "x"], 2, "--port must be a whole number from 0 to 65535"],
  [["--json"], 2, "has no option --json"],
])("with %j it does not begin, and says why", async (args, code, message) => {
  expect(await cli.run("mcp", ...args)).toBe(code);
  expect(cli.err()).toContain(message);
  expect(cli.out()).toBe("");
});

test("a hub elsewhere gets its own token, never this machine's", async () => {
  open({ environment: { PAGEWIRE_TOKEN: "its-own" } });
  const code = cli.run("mcp", "--hub", "https://hub.invalid");
  cli.type(`${JSON.stringify(modern(1, "tools/list"))}\n`);
  await cli.wrote("No hub answers at https://hub.invalid");
  cli.endInput();
  expect(await code).toBe(0);
});

test("the hub of this machine gets the token of this machine", async () => {
  const hub = await startTestHub(cli);
  const code = cli.run("mcp");
  cli.type(`${JSON.stringify(modern(1, "tools/list"))}\n`);
  await cli.wrote("list_browser_tabs");
  cli.endInput();
  expect([await code, cli.err()]).toEqual([0, ""]);
  await hub.close();
});

test("a broken state directory is an error for each request, until it is repaired", async () => {
  writeFileSync(join(cli.home, "hub.json"), "{");
  const code = cli.run("mcp", "--no-start");
  cli.type(`${JSON.stringify(modern(1, "tools/list"))}\n`);
  await cli.wrote("hub.json does not say where a hub is.");
  const hub = await startTestHub(cli);
  cli.type(`${JSON.stringify(modern(2, "tools/list"))}\n`);
  await cli.wrote("list_browser_tabs");
  await cli.interrupt();
  expect(await code).toBe(0);
  await hub.close();
});

test("started in a terminal, it explains what it waits for", async () => {
  open({ isTerminal: true });
  const code = cli.run("mcp", "--no-start");
  await cli.wrote("Waiting for an MCP client on stdin");
  await cli.interrupt();
  expect(await code).toBe(0);
  expect(cli.out()).toBe("");
});
