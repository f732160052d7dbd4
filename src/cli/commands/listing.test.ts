import { afterEach, beforeEach, expect, test } from "vitest";
import { fromBrowser } from "../../wire/index.ts";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import type { TestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";
import { someTool } from "../test-support/test-page.test-helper.ts";

let cli: TestIo;
let hub: TestHub;

beforeEach(async () => {
  cli = createTestIo();
  hub = await startTestHub(cli);
});
afterEach(async () => {
  await hub.close();
  cli.close();
});

test("without a tab, the list has a hint", async () => {
  expect(await cli.run("tabs")).toBe(0);
  expect(cli.out()).toBe(
    "No tab offers tools. Open a page that does, or find out why one does not with: npx pagewire doctor\n",
  );
});

test("tabs are listed with their ids, and the one that calls go to has a star", async () => {
  const page = await hub.page({ title: "Sales" });
  const other = await hub.page({ title: "Stock" });
  expect(await cli.run("tabs")).toBe(0);
  const [head, ...lines] = cli.out().trimEnd().split("\n");
  expect(head).toMatch(/^ +TAB +APP +STATE +TOOLS +PAGE$/);
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
    ["", page.tabId, "test-app", "connected", "1", `Sales ${hub.url}/demo/`],
    ["*", other.tabId, "test-app", "connected", "1", `Stock ${hub.url}/demo/`],
  ]);
});

test("a tab is disconnected, and let back", async () => {
  const page = await hub.page({ title: "Sales" });
  expect(await cli.run("tabs", "disconnect", page.tabId)).toBe(0);
  expect(cli.out()).toContain(`npx pagewire tabs reconnect ${page.tabId}`);
  expect(await cli.run("tabs", "disconnect", page.tabId)).not.toBe(0);
  expect(cli.err()).toContain("There is no tab with this id.");
  expect(await cli.run("tabs", "reconnect", page.tabId)).toBe(0);
  expect(cli.out()).toContain("The page may connect again");
});

test("what cannot be done to a tab, or to none, is refused with what can", async () => {
  expect(await cli.run("tabs", "close", "x")).toBe(2);
  expect(await cli.run("tabs", "disconnect")).toBe(2);
  expect(cli.err()).toMatch(/pagewire tabs disconnect <tab>[^]*Which tab\?/);
});

test("tabs are searched for a text; if none matches, the command reports that", async () => {
  await hub.page({ title: "Sales" });
  const { tabId } = await hub.page({ title: "Stock" });
  expect(await cli.run("tabs", "--search", "STOCK", "--json")).toBe(0);
  expect(JSON.parse(cli.out())).toMatchObject([{ tabId, title: "Stock" }]);
  const other = createTestIo({ home: cli.home });
  await other.run("tabs", "--search", "nothing");
  expect(other.out()).toBe("No tab has this text. See all with: npx pagewire tabs\n");
});

test("a page's name cannot control the terminal", async () => {
  await hub.page({ title: "\u001b[2J\u001b]0;owned\u0007Sales\nERROR\u202e" });
  await cli.run("tabs");
  expect(cli.out()).toMatch(/ \[2J\]0;ownedSales ERROR( |$)/m);
});

test("tools are listed with their arguments, descriptions and hints", async () => {
  const page = await hub.page({
    tools: [
      someTool,
      {
        name: "filter",
        inputSchema: {
          type: "object",
          properties: {
            region: { enum: ["north", "south"] },
            days: { type: ["integer", "null"] },
            tags: { type: "array", items: { type: "string" } },
            range: { type: "object", properties: { from: { type: "string" } } },
            any: {},
            choice: { anyOf: [{ type: "string" }, { const: 7 }] },
          },
          required: ["days"],
        },
        annotations: { destructiveHint: true, idempotentHint: true },
      },
    ],
  });
  expect(await cli.run("tools", "--tab", page.tabId)).toBe(0);
  expect(cli.out().trimEnd().split("\n")).toEqual([
    "greet {name: string}",
    "    Greets somebody.",
    "    It says that it reads only.",
    'filter {region?: "north" | "south", days: integer | null, tags?: string[], range?: {from?: string}, any?: any, choice?: string | 7}',
    "    It says that it may destroy, can be repeated.",
    "    Gemini CLI: const at /choice/anyOf/1: enum.",
  ]);
  const screen = createTestIo({ home: cli.home, isTerminal: true, environment: { NO_COLOR: "1" } });
  await screen.run("tools", "--tab", page.tabId);
  expect(screen.out()).toContain(
    '\nfilter {region?: "north" | "south", days: integer | null, tags?: string[], range?: {from?:\n    string}, ',
  );
  const all = createTestIo({ environment: { PAGEWIRE_TOKEN: "a-token-of-another-hub" } });
  await all.run("tools", "--hub", hub.url);
  expect(all.err()).toMatch(/did not prove that .* this token\. .* PAGEWIRE_HOME, .*: npx pagewire token show/);
  all.close();
  await cli.run("tools");
  expect(cli.out()).toContain("list_browser_tabs {search?: string, cursor?: string}");
});

test("a tool whose schema a vendor refuses has a line for the programs that get it otherwise", async () => {
  const oneOf = [{ required: ["name"] }, { required: ["id"] }];
  const inputSchema = { type: "object", properties: { name: {}, "id\u001b": { format: "uuid" } }, oneOf } as const;
  const page = await hub.page({ tools: [{ name: "find", inputSchema }] });
  await cli.run("tools", "--tab", page.tabId);
  const union = "oneOf at the top: one object with the arguments of all, and words";
  expect(cli.out().split("\n").slice(1, -1)).toEqual([
    `    Claude, opencode: ${union}; the name "id\\u001b" at the top: words.`,
    `    Codex: ${union}.`,
    `    Gemini CLI: ${union}; format at /id⟨U+001B⟩: words.`,
  ]);
});

test("with --json, lists are those of the hub", async () => {
  const page = await hub.page();
  await cli.run("tabs", "--json");
  expect(JSON.parse(cli.out())).toMatchObject([
    { tabId: page.tabId, app: "test-app", isActive: true, tools: ["greet"] },
  ]);
  const second = createTestIo({ home: cli.home });
  await second.run("tools", "--json", "--tab", page.tabId);
  expect(JSON.parse(second.out())).toEqual({ tools: [someTool], resources: [], resourceTemplates: [], prompts: [] });
});

test("a tool that came from the browser is marked, also with --json", async () => {
  const theirs = { ...someTool, name: "theirs", _meta: fromBrowser };
  const bare = { name: "bare", inputSchema: { type: "object" }, _meta: fromBrowser } as const;
  const page = await hub.page({ tools: [someTool, theirs, bare] });
  await cli.run("tools", "--tab", page.tabId);
  expect(
    cli
      .out()
      .split("\n")
      .filter((line) => line.includes("It says")),
  ).toEqual([
    "    It says that it reads only.",
    "    It says that it reads only, came from document.modelContext.",
    "    It says that it came from document.modelContext.",
  ]);
  const programs = createTestIo({ home: cli.home });
  await programs.run("tools", "--json");
  const { tools } = JSON.parse(programs.out()) as { readonly tools: readonly object[] };
  expect(tools).toContainEqual(expect.objectContaining({ name: "theirs", _meta: { "pagewire/source": "browser" } }));
});

test("the error for an unknown tab lists the existing ones", async () => {
  const page = await hub.page();
  expect(await cli.run("tools", "--tab", "nowhere")).toBe(5);
  expect(cli.err()).toContain(`There is no tab "nowhere". Open tabs: ${page.tabId} (A page).`);
});
