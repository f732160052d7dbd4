import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";
import { openDelegate } from "./open-delegate.ts";
import { readTerminal } from "./read-terminal.ts";

const open: TestIo[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

/** The command in this environment, outside of tmux. */
function cli(environment: Readonly<Record<string, string>> = {}, home?: string): TestIo {
  // An address without a hub.
  const nowhere = { PAGEWIRE_URL: "http://127.0.0.1:9" };
  const made = createTestIo({ environment: { ...nowhere, ...environment }, ...(home === undefined ? {} : { home }) });
  open.push(made);
  return made;
}

async function printed(io: TestIo, ...command: readonly string[]): Promise<readonly [number, string]> {
  return [await io.run(...command), io.out()];
}

const token = "pagewire-terminal.abcdefghijkl";

test.each([
  [{ PAGEWIRE_BROWSER_ID: "a", KLANGKWS_BROWSER_ID: "b", KLANGK_BROWSER_ID: "c", PAGEWIRE_TERMINAL: "d" }, "a"],
  [{ KLANGKWS_BROWSER_ID: "b", KLANGK_BROWSER_ID: "c", PAGEWIRE_TERMINAL: "d" }, "b"],
  [{ KLANGK_BROWSER_ID: "c", PAGEWIRE_TERMINAL: "d" }, "c"],
  [{ PAGEWIRE_TERMINAL: "d" }, "d"],
  [{ PAGEWIRE_BROWSER_ID: "", KLANGK_BROWSER_ID: "not one word", PAGEWIRE_TERMINAL: "d" }, "d"],
])("browser-id takes %j for %s", async (environment, id) => {
  expect(await printed(cli(environment), "browser-id")).toEqual([0, `${id}\n`]);
  expect(await printed(cli(environment), "browser-id", "--json")).toEqual([0, `{"browserId":"${id}"}\n`]);
});

test("without an id, browser-id prints nothing and exits with 1", async () => {
  const io = cli();
  expect(await printed(io, "browser-id")).toEqual([1, ""]);
  expect(io.err()).toBe("");
  expect(existsSync(join(io.home, "terminals"))).toBe(false);
});

test("workspace-token prints the terminal's token by either name, or nothing and exits with 1", async () => {
  expect(await printed(cli({ PAGEWIRE_TERMINAL_TOKEN: token }), "workspace-token")).toEqual([0, `${token}\n`]);
  expect(await printed(cli({ KLANGK_WORKSPACE_TOKEN: token }), "workspace-token")).toEqual([0, `${token}\n`]);
  const whole = cli({ PAGEWIRE_TERMINAL_TOKEN: token, PAGEWIRE_TERMINAL: "own" });
  expect(await whole.run("workspace-token", "--json")).toBe(0);
  expect(JSON.parse(whole.out())).toEqual({ url: "http://127.0.0.1:9", token, browserId: "own" });
  expect(await printed(cli({ PAGEWIRE_TERMINAL_TOKEN: token }), "workspace-token", "--json")).toEqual([1, ""]);
  expect(await printed(cli({ PAGEWIRE_TERMINAL_TOKEN: "short" }), "workspace-token")).toEqual([1, ""]);
});

test("without tmux, the id is stored for the programs of the same terminal, unreadable to others", async () => {
  const io = cli();
  expect(await printed(io, "attach-browser", "tab-1")).toEqual([0, ""]);
  expect(io.err()).toMatch(/^The id is saved, but the hub could not be notified: No hub of the state directory /);
  expect(await printed(cli({}, io.home), "browser-id")).toEqual([0, "tab-1\n"]);
  expect(await printed(cli({}, io.home), "attach-browser", "-tab.2", "--json")).toEqual([
    0,
    expect.stringMatching(/^{"browserId":"-tab.2","problem":"No hub of the state directory/),
  ]);
  expect(await printed(cli({}, io.home), "browser-id")).toEqual([0, "-tab.2\n"]);
  const folder = join(io.home, "terminals");
  const [name = "", ...more] = readdirSync(folder);
  expect(more).toEqual([]);
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("the file of a terminal is ignored if it is broken or others can read it", async () => {
  const io = cli();
  await io.run("attach-browser", "tab-1");
  const [name = ""] = readdirSync(join(io.home, "terminals"));
  const path = join(io.home, "terminals", name);
  chmodSync(path, 0o644);
  const curious = cli({}, io.home);
  expect(await printed(curious, "browser-id")).toEqual([2, ""]);
  expect(curious.err()).toContain("is open to others");
  writeFileSync(path, "{}");
  chmodSync(path, 0o600);
  const lost = cli({}, io.home);
  expect(await printed(lost, "browser-id")).toEqual([2, ""]);
  expect(lost.err()).toContain("attach this terminal again");
  expect(await printed(cli({ PAGEWIRE_TERMINAL: "d", PAGEWIRE_TERMINAL_TOKEN: token }, io.home), "browser-id")).toEqual(
    [0, "d\n"],
  );
});

test("files of closed terminals are removed", async () => {
  const io = cli();
  await io.run("attach-browser", "tab-1");
  const gone = join(io.home, "terminals", "tty-1-999.json");
  writeFileSync(gone, "{}");
  await cli({}, io.home).run("attach-browser", "tab-2");
  expect(existsSync(gone)).toBe(false);
  expect(await printed(cli({}, io.home), "browser-id")).toEqual([0, "tab-2\n"]);
});

test.each(["", " ", "two words", "a/b", "$(id)", "tab\nid", "ä", "x".repeat(129)])(
  "attach-browser refuses %j, says how it is used, and keeps nothing",
  async (id) => {
    const io = cli();
    expect(await printed(io, "attach-browser", id)).toEqual([2, ""]);
    expect(io.err()).toContain("npx pagewire attach-browser <id>");
    expect(await printed(cli({}, io.home), "browser-id")).toEqual([1, ""]);
  },
);

test("an id may begin with a dash, and two ids are refused", async () => {
  const io = cli();
  expect(await printed(io, "attach-browser", "--", "--id")).toEqual([0, ""]);
  expect(await printed(cli({}, io.home), "browser-id")).toEqual([0, "--id\n"]);
  expect(await printed(cli({}, io.home), "attach-browser", "--jsno", "a")).toEqual([2, ""]);
  expect(await printed(cli({}, io.home), "attach-browser", "a", "-b")).toEqual([2, ""]);
});

test("attach-browser without an id prints its usage", async () => {
  const io = cli();
  expect(await printed(io, "attach-browser")).toEqual([2, ""]);
  expect(io.err()).toContain('"pagewire attach-browser" needs <id>');
});

test("programs use their terminal's own id, even if a tab was attached by hand", async () => {
  const environment = { PAGEWIRE_TERMINAL: "own", PAGEWIRE_TERMINAL_TOKEN: token, PAGEWIRE_BROWSER_ID: "some-tab" };
  const { io } = cli({ ...environment, PAGEWIRE_URL: "http://127.0.0.1:7447" });
  expect(await readTerminal(io)).toEqual({ url: "http://127.0.0.1:7447", token, browserId: "own" });
});

test("klangk's names are enough", async () => {
  const environment = {
    KLANGK_WORKSPACE_TOKEN: token,
    KLANGK_BROWSER_ID: "b",
    KLANGK_BRIDGE_URL: "http://127.0.0.1:1",
  };
  const { io } = cli({ ...environment, PAGEWIRE_URL: "" });
  expect(await readTerminal(io)).toEqual({ url: "http://127.0.0.1:1", token, browserId: "b" });
});

test("a token goes to the hub that issued it, even if another hub is named elsewhere", async () => {
  const io = cli({ PAGEWIRE_TERMINAL_TOKEN: token, PAGEWIRE_TERMINAL: "own", PAGEWIRE_URL: "ws://127.0.0.1:1/at/" });
  expect(await readTerminal(io.io)).toEqual({ url: "http://127.0.0.1:1/at", token, browserId: "own" });
  // A hub that cannot be reached receives nothing.
  expect(await printed(io, "attach-browser", "tab-1", "--hub", "http://127.0.0.1:9")).toEqual([0, ""]);
  const other = cli({ PAGEWIRE_URL: "http://127.0.0.1:2" }, io.home);
  expect(await readTerminal(other.io)).toEqual({ url: "http://127.0.0.1:1/at", token, browserId: "own" });
});

test("if the terminal belongs to no tab, the error says how to get one", async () => {
  const { io } = cli({ PAGEWIRE_TERMINAL: "own" });
  expect(await readTerminal(io)).toBeUndefined();
  await expect(openDelegate(io)).rejects.toMatchObject({
    code: "terminal-not-found",
    message: expect.stringMatching(/npx pagewire terminal .* npx pagewire attach-browser <id>/) as string,
  });
});
