import { version } from "../hub/index.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { commandTable } from "./command-table.ts";
import { exitCodes } from "./common/exit-codes.ts";
import { startTestHub } from "./test-support/test-hub.test-helper.ts";
import { createTestIo } from "./test-support/test-io.test-helper.ts";
import type { TestIo, TestIoOptions } from "./test-support/test-io.test-helper.ts";

let cli: TestIo;

const open = (options?: TestIoOptions) => {
  cli?.close();
  cli = createTestIo(options);
};
beforeEach(() => open());
afterEach(() => cli.close());

test("the help names every command, every environment variable and every exit code", async () => {
  for (const args of [["--help"], ["-h"], ["help"]]) {
    open();
    expect(await cli.run(...args)).toBe(0);
    for (const name of Object.keys(commandTable)) expect(cli.out()).toMatch(new RegExp(`^  ${name} `, "m"));
    for (const [code, meaning] of Object.entries(exitCodes)) expect(cli.out()).toContain(`${code.padEnd(5)}${meaning}`);
    for (const name of ["PAGEWIRE_HOME", "PAGEWIRE_URL", "PAGEWIRE_TOKEN", "NO_COLOR"])
      expect(cli.out()).toContain(name);
    expect(cli.err()).toBe("");
  }
});

test.each(Object.keys(commandTable))(
  "the help on %s says how it is used, what its options are, and shows examples",
  async (name) => {
    expect(await cli.run("help", name)).toBe(0);
    const help = cli.out();
    const command = await commandTable[name]?.load();
    expect(command?.name).toBe(name);
    expect(help).toContain(`Usage: pagewire ${name}`);
    for (const option of Object.keys(command?.options ?? {})) expect(help).toContain(`--${option}`);
    expect(help).toMatch(/Examples\n {2}pagewire/);
    open();
    expect(await cli.run(name, "--help")).toBe(0);
    expect(cli.out()).toBe(help);
    const [text = ""] = help.split("Examples\n");
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  },
);

test("the error for an unknown command suggests a similar one", async () => {
  expect(await cli.run("tolos")).toBe(2);
  expect(cli.err()).toBe('Error: There is no command "tolos". Did you mean "pagewire tools"?\n');
  for (const word of ["xyzzy", "nope"]) {
    expect(await cli.run("help", word)).toBe(2);
    expect(cli.err()).toContain(`There is no command "${word}". See: npx pagewire help\n`);
  }
  expect(await cli.run("--json", "tabs")).toBe(2);
  expect(cli.err()).toContain("The command comes first: npx pagewire tabs");
  expect(cli.out()).toBe("");
});

test("the version is that of the package", async () => {
  for (const words of [["--version"], ["version"]]) {
    open();
    expect(await cli.run(...words)).toBe(0);
    expect(cli.out()).toBe(`${version}\n`);
  }
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
});

/** With it, commands accept a hub at any address. */
const token = { PAGEWIRE_TOKEN: "a-token-of-another-hub" };

test("CL4: an error is a sentence on stderr, for programs as JSON, and never a stack", async () => {
  open({ environment: token });
  expect(await cli.run("tabs", "--hub", "http://127.0.0.1:1")).toBe(3);
  expect(cli.err()).toMatch(
    /^Error: No hub answers at http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED.*\. Start it with: npx pagewire\n$/,
  );
  open({ environment: token });
  expect(await cli.run("tabs", "--json", "--hub", "http://127.0.0.1:1")).toBe(3);
  expect(JSON.parse(cli.err())).toMatchObject({ error: { code: "hub-unreachable" } });
  expect(cli.out()).toBe("");
});

test("CL4: PAGEWIRE_DEBUG shows where an error comes from, and what caused it", async () => {
  open({ environment: { ...token, PAGEWIRE_DEBUG: "1" } });
  await cli.run("tabs", "--hub", "http://127.0.0.1:1");
  expect(cli.err()).toMatch(/\n {4}at .*\n[^]*Caused by: /);
});

test("CL4: an unexpected error says how to find out more", async () => {
  const broken = { ...cli.io, homeDirectory: 7 as unknown as string, environment: {} };
  const { runCli } = await import("./run-cli.ts");
  expect(await runCli(["allow", "--list"], broken)).toBe(1);
  expect(cli.err()).toMatch(
    /^Error: Something failed that should not have: .*\nSet PAGEWIRE_DEBUG=1 to see where it comes from\.\n$/,
  );
});

test("with --jq a command prints what the filter makes of its JSON, and texts without quotes", async () => {
  const hub = await startTestHub(cli);
  try {
    const { tabId } = await hub.page({});
    expect(await cli.run("tabs", "--jq", ".[] | .tabId, {tools: (.tools | length)}")).toBe(0);
    expect(cli.out()).toMatch(new RegExp(`^${tabId}\\n\\{"tools":\\d+\\}\\n$`));
  } finally {
    await hub.close();
  }
});

test.each([".[", ". | frobnicate", ".name"])("a filter that does not work is a usage error: %s", async (filter) => {
  const hub = await startTestHub(cli);
  try {
    expect(await cli.run("tabs", `--jq=${filter}`)).toBe(2);
    expect(JSON.parse(cli.err())).toMatchObject({
      error: { code: "options-invalid", message: expect.stringContaining(filter) },
    });
    expect(cli.out()).toBe("");
  } finally {
    await hub.close();
  }
});

test("colours are for terminals, unless they are disabled", async () => {
  // oxlint-disable-next-line no-control-regex -- colour codes start with it
  const coloured = /\u001b\[/;
  open({ isTerminal: true });
  await cli.run("tolos");
  expect(cli.err()).toMatch(coloured);
  for (const options of [
    { isTerminal: false },
    { isTerminal: true, environment: { NO_COLOR: "1" } },
    { isTerminal: true, environment: { TERM: "dumb" } },
  ]) {
    open(options);
    await cli.run("help");
    await cli.run("tolos");
    expect(cli.out() + cli.err()).not.toMatch(coloured);
  }
});

test("CL7: an error as JSON, and its stack, hold nothing that a terminal would obey", async () => {
  const hidden = "x\u009b31m\u202e\u200b";
  const io = createTestIo({ environment: { PAGEWIRE_DEBUG: "1" } });
  expect(await io.run(hidden, "--json")).toBe(2);
  const [line = "", ...stack] = io.err().split("\n");
  expect((JSON.parse(line) as { error: { message: string } }).error.message).toContain(hidden);
  expect(stack.join("\n")).toContain("x⟨U+009B⟩31m⟨U+202E⟩⟨U+200B⟩");
  expect(io.err()).not.toMatch(/[\u009b\u202e\u200b]/);
  io.close();
});
