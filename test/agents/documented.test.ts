// Programs that cannot be run here, by their documented configuration: what `pagewire connect` wrote is read as each documents
// it, just that program is started in the surroundings of an app, and spoken to as each is known to speak.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { spawnOwned } from "../e2e/support/processes.ts";
import type { Tab } from "../e2e/support/tab.ts";
import { connected } from "../e2e/support/world.ts";
import { documentedTable } from "./documented/client-table.ts";
import type { Desk } from "./documented/documented-client.ts";
import { beginByHttp, beginByStdio } from "./documented/session.ts";
import type { Session, Start } from "./documented/session.ts";
import type { Fact, Outcome } from "./journeys/journey.ts";
import type { JsonBody } from "./model/model-format.ts";
import { createMachine, pagewire } from "./support/machine.ts";
import type { Machine } from "./support/machine.ts";
import { record } from "./support/record.ts";
import { waitsOf, whileRuleAsks } from "./support/rule-asks.ts";

const wanted = process.env["PAGEWIRE_AGENTS_ONLY"]?.split(",");
const chosen = documentedTable.filter(({ id }) => wanted?.includes(id) ?? true);

let machine: Machine;
let tab: Tab;

beforeAll(async () => {
  machine = await createMachine();
});

afterAll(() => machine?.close());

beforeEach(async () => {
  tab = await machine.openTab();
  machine.forget();
});

afterEach(() => machine.closeTabs());

// A file without a test would be an error.
test.skipIf(chosen.length > 0)("none of these is chosen", () => {});

describe.each(chosen.map((client) => [client.title, client] as const))("%s", (_, client) => {
  const sessions: Session[] = [];
  let project: string;

  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((session) => session.close()));
  });

  beforeEach(async () => {
    project = join(machine.home, "projects", client.id);
    await mkdir(project, { recursive: true });
  });

  const note = (journey: string, outcome: Outcome | Fact) => record({ program: client, version: "" }, journey, outcome);

  /** Its user, at a command line. */
  async function user(...args: readonly string[]) {
    const began = performance.now();
    const env = { PATH: process.env["PATH"] ?? "", HOME: machine.home };
    const owned = await spawnOwned(process.execPath, [pagewire, ...args], { env, cwd: project });
    const { code } = await owned.closed;
    return { code, output: owned.output(), ms: Math.round(performance.now() - began) };
  }

  const desk = (more: Partial<Desk> = {}): Desk => ({
    home: machine.home,
    project,
    variables: {},
    inputs: {},
    ...more,
  });

  /** The command or address in the file, read as this program documents it. */
  async function readEntry(at: Desk): Promise<JsonBody> {
    const { path } = JSON.parse((await user("connect", client.id, "--write", "--json")).output) as {
      readonly path: string;
    };
    const text = client.expand(await readFile(path, "utf8"), at);
    const { [client.section]: servers } = JSON.parse(text) as JsonBody;
    return servers.pagewire;
  }

  /** As an app is that was started from a menu: no shell has read its profile. */
  async function startOf(at: Desk): Promise<Start> {
    const { command, args, env = {} } = await readEntry(at);
    const bare = { HOME: machine.home, PATH: "/usr/bin:/bin", LANG: "C.UTF-8" };
    return { command, args, env: { ...bare, ...env }, cwd: client.folder(at) };
  }

  async function begin(): Promise<Session> {
    const session = await beginByStdio(client, await startOf(desk()));
    sessions.push(session);
    return session;
  }

  const callTool = (session: Session, name: string, input: object = {}): Promise<JsonBody> =>
    session.request("tools/call", { name, arguments: input });

  test("what is taken as known", async () => {
    await note("what it is taken to do, and the sources of that", { result: client.sources });
    await note("not known", { result: client.unknown });
  });

  test("the entry, a list and a call, by stdio", async () => {
    const began = performance.now();
    const session = await begin();
    const names = (await session.tools()).map(({ name }) => name as string);
    expect(client.uses("pagewire", names)).toEqual(expect.arrayContaining(["get_stock", "call_tab_tool"]));
    const { content } = await callTool(session, "get_stock", { shelf: "A" });
    const ms = Math.round(performance.now() - began);
    expect(content[0].text).toContain("Crème brûlée ☕");
    expect(machine.ran("get_stock")).toBe(1);
    await note("the file as connect wrote it, started in a bare environment: a list and a call", {
      result: "ran once, and the result comes whole",
      ms,
    });
  });

  test("a tool that a call adds", async () => {
    const session = await begin();
    await session.tools();
    const began = performance.now();
    await callTool(session, "unlock");
    await expect.poll(() => session.heard).toContain("notifications/tools/list_changed");
    const names = (await session.tools()).map(({ name }) => name as string);
    expect(names).toContain("open_safe");
    const ms = Math.round(performance.now() - began);
    await note("a tool that a call adds", { result: "the change is announced, and the next list has it", ms });
  });

  test("questions of the hub reach whom the client says it can ask", async () => {
    const session = await begin();
    await session.tools();
    const began = performance.now();
    const person = { project, pagewire: user };
    const canAsk = client.hello.capabilities.elicitation !== undefined;
    const { content } = await whileRuleAsks(machine, person, async () => {
      const called = callTool(session, "clear_shelf", { shelf: "A" });
      if (canAsk) return called;
      await expect.poll(() => waitsOf(person)).toHaveLength(1);
      const [wait = ""] = await waitsOf(person);
      expect(machine.ran("clear_shelf")).toBe(0);
      await user("waits", "allow", wait);
      return called;
    });
    const ms = Math.round(performance.now() - began);
    expect(content[0].text).toContain("Shelf A is empty.");
    expect(machine.ran("clear_shelf")).toBe(1);
    expect(session.heard.includes("elicitation/create")).toBe(canAsk);
    const result = canAsk
      ? "its user gets a form, allows it, and it runs once"
      : "waits in the hub's list for its user, who allows it; then it runs once";
    await note("a destructive tool that a rule of the hub asks about", { result, ms });
  });

  test("a thousand tools and long names", async () => {
    await tab.evaluate(`(() => {
      for (let number = 1; number <= 200; number++)
        tool("part_" + number, "Says how many pieces there are.", object({}), () => number + " pieces");
      tool("shelf_" + "x".repeat(70), "Says what is there.", object({}), () => "it ran");
    })()`);
    const long = `shelf_${"x".repeat(70)}`;
    await machine.hasTools([long, "part_200"]);
    const session = await begin();
    const began = performance.now();
    const names = (await session.tools()).map(({ name }) => name as string);
    const used = client.uses("pagewire", names);
    expect(names.length).toBeGreaterThan(200);
    expect(used).toEqual(expect.arrayContaining(["list_browser_tabs", "list_tab_tools", "call_tab_tool"]));
    // A tool that it leaves out is reached by one that it has.
    const given = { tabId: await machine.tabId(tab), name: long };
    const { content } = await callTool(session, "call_tab_tool", given);
    const ms = Math.round(performance.now() - began);
    expect(content[0].text).toContain("it ran");
    const { output } = await user("doctor");
    const leavesOut = used.length < names.length;
    expect(output.includes(`${client.title} may use only`)).toBe(leavesOut);
    const isLongUsed = client.uses("pagewire", [long]).length > 0 ? "" : " and of names that are too long";
    const result = leavesOut
      ? `uses ${used.length} of ${names.length}, with the hub's own among them; doctor tells of the rest${isLongUsed}, and call_tab_tool reaches it`
      : `all ${names.length}, in the first page`;
    await note("a page with 200 tools, and one whose name has 76 characters", { result, ms });
  });

  test("every array in the hub's own tools says what it holds", async () => {
    const session = await begin();
    const own = (await session.tools()).filter(({ name }) => /^(list_|call_tab)/.test(name as string));
    const arrays: JsonBody[] = [];
    JSON.stringify(own, (_key, value: JsonBody) => {
      if (value?.type === "array") arrays.push(value);
      return value as unknown;
    });
    expect(arrays.filter(({ items }) => items === undefined)).toEqual([]);
  });

  test("no hub runs", async () => {
    const start = await startOf(desk());
    await machine.stopHub();
    try {
      const began = performance.now();
      // By default it starts one at port 7337, which another hub of this machine may have.
      const session = await beginByStdio(client, {
        ...start,
        args: [...start.args, "--port", machine.hub.port.toString()],
      });
      sessions.push(session);
      await connected(tab);
      const given = { tabId: await machine.tabId(tab), name: "get_stock", arguments: { shelf: "A" } };
      const { content } = await callTool(session, "call_tab_tool", given);
      const ms = Math.round(performance.now() - began);
      expect(content[0].text).toContain("Crème brûlée");
      await note("no hub runs", { result: "one is started; the open tab comes to it, and its tools are called", ms });
    } finally {
      await user("stop");
      await machine.startHub();
    }
  });

  test.skipIf(client.takesAddress)("no address is offered where its file takes none", async () => {
    const { http } = JSON.parse((await user("connect", client.id, "--json")).output) as JsonBody;
    expect(http.steps).toEqual([]);
    await note("by HTTP", { result: "not by its file" });
  });

  test.runIf(client.takesAddress)("an address, as the client fills it in", async () => {
    const token = await machine.hub.token();
    const { http } = JSON.parse((await user("connect", client.id, "--json")).output) as JsonBody;
    const [{ code }] = http.steps;
    expect(code).not.toContain(token);
    const at = desk({ variables: { PAGEWIRE_TOKEN: token }, inputs: { "pagewire-token": token } });
    const { [client.section]: servers } = JSON.parse(client.expand(code, at)) as JsonBody;
    const { url, headers } = servers.pagewire;
    const began = performance.now();
    const session = await beginByHttp(client, url, headers);
    sessions.push(session);
    await session.tools();
    const { content } = await callTool(session, "get_stock", { shelf: "A" });
    const ms = Math.round(performance.now() - began);
    expect(content[0].text).toContain("Crème brûlée");
    expect(machine.ran("get_stock")).toBe(1);
    const from = code.includes("${input:") ? "an input" : "its environment";
    await note("by HTTP", { result: `ran once; the token comes from ${from}`, ms });
  });
});
