import { afterEach, beforeEach, expect, test } from "vitest";
import { chunkLogger, terminalOnly } from "../../wire/index.ts";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import type { TestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo, TestIoOptions } from "../test-support/test-io.test-helper.ts";
import { someTool } from "../test-support/test-page.test-helper.ts";
import type { PageCall, TestPage, TestPageOptions } from "../test-support/test-page.test-helper.ts";

let home: TestIo;
let hub: TestHub;
const open: TestIo[] = [];

beforeEach(async () => {
  home = createTestIo();
  hub = await startTestHub(home);
});
afterEach(async () => {
  await hub.close();
  for (const each of open.splice(0)) each.close();
  home.close();
});

/** A command in the same terminal. */
function cli(options: TestIoOptions = {}): TestIo {
  const made = createTestIo({ home: home.home, ...options });
  open.push(made);
  return made;
}

const says = (text: string) => ({ content: [{ type: "text", text }] });
const runsOn = () => new Promise<never>(() => {});

/** A page to which this terminal was given. */
async function attached(options: Omit<TestPageOptions, "hub"> = {}): Promise<TestPage> {
  const page = await hub.page(options);
  const io = cli();
  expect(await io.run("attach-browser", page.tabId)).toBe(0);
  expect([io.out(), io.err()]).toEqual(["", ""]);
  return page;
}

/** A command's output. */
async function printed(command: string): Promise<string> {
  const io = cli();
  expect(await io.run(command)).toBe(0);
  return io.out().trim();
}

/** Sends a request to the hub, like a program that does not use our commands. */
function post(path: string, token: string, body: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return fetch(`${hub.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

test("an ordinary terminal that is attached becomes one of the hub's, whose programs act in that tab", async () => {
  const page = await attached();
  await hub.page({ title: "In front" });
  const io = cli();
  expect(await io.run("delegate", "greet", '{"name":"Ada"}')).toBe(0);
  expect([io.out(), io.err()]).toEqual(['Hello "Ada"!\n', ""]);
  expect(page.calls.map(({ name, input }) => [name, input])).toEqual([["greet", { name: "Ada" }]]);
});

test("the id that browser-id prints is right through every attach, also one that no command made", async () => {
  const page = await attached();
  const id = await printed("browser-id");
  const other = await attached({ title: "Other" });
  const token = await printed("workspace-token");
  const acts = async (browserId: string) => {
    const body = { browser_id: browserId, action: "greet", name: "Ada" };
    return (await post("/api/browser-delegate", token, body)).status;
  };
  expect([await printed("browser-id"), await acts(id)]).toEqual([id, 200]);
  // As a view of the terminal does when it gets the focus again.
  await post(`/api/terminals/${id}/attach`, home.state.agentToken(), { tab: page.tabId });
  expect([await printed("browser-id"), await acts(id)]).toEqual([id, 200]);
  expect([page.calls.length, other.calls.length]).toEqual([1, 1]);
  page.close();
  await attached({ title: "Third" });
  expect([await printed("browser-id"), await acts(id)]).toEqual([id, 200]);
  expect(await acts(other.tabId)).toBe(403);
  // A terminal by its own id is where it is.
  expect(await cli().run("attach-browser", id)).toBe(0);
  expect([await printed("browser-id"), await acts(id)]).toEqual([id, 200]);
});

test("a terminal that is attached again goes to the other tab, and stays the same one", async () => {
  const page = await attached();
  const token = cli();
  await token.run("workspace-token");
  const other = await attached({ title: "Other" });
  const same = cli();
  await same.run("workspace-token");
  expect(same.out()).toBe(token.out());
  expect(await cli().run("delegate", "greet", '{"name":"Ada"}')).toBe(0);
  expect([page.calls.length, other.calls.length]).toEqual([0, 1]);
  expect(await cli().run("attach-browser", page.tabId, "--hub", hub.url, "--json")).toBe(0);
});

test("a tab that the hub does not have is refused with those that it has, and changes nothing", async () => {
  const page = await attached();
  const id = await printed("browser-id");
  const io = cli();
  expect(await io.run("attach-browser", "no-such-tab")).toBe(5);
  expect(io.err()).toContain(page.tabId);
  expect(await printed("browser-id")).toBe(id);
  expect(await cli().run("delegate", "greet", '{"name":"Ada"}')).toBe(0);
});

test("where the terminal belongs to no tab, delegate says how to get one", async () => {
  const io = cli();
  expect(await io.run("delegate", "greet")).toBe(5);
  expect(io.err()).toContain("npx pagewire attach-browser <id>");
  expect(io.out()).toBe("");
});

test("what an action answers goes to stdout: text, else what it holds as JSON", async () => {
  const results: object[] = [
    says("line one\n\u001b[31mline two"),
    { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] },
    { content: [], structuredContent: { status: 200, body: "b" }, _meta: { "pagewire/fields": true } },
    { content: [] },
  ];
  await attached({ handle: async () => results.shift() as never });
  const io = cli();
  for (let count = 0; count < 4; count++) expect(await io.run("delegate", "greet", "{}")).toBe(0);
  const fields = '{\n  "status": 200,\n  "body": "b"\n}';
  expect(io.out()).toBe(`line one\n⟨U+001B⟩[31mline two\n[image image/png 3 B]\n${fields}\n`);
  expect(io.err()).toBe("Done. The action answered with nothing.\n");
});

test("an action is where TRACEPARENT and TRACESTATE say", async () => {
  const said: unknown[] = [];
  await attached({
    async handle({ frame }) {
      said.push(frame.trace);
      return says("done");
    },
  });
  const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=b" };
  const environment = { TRACEPARENT: trace.traceparent, TRACESTATE: trace.tracestate };
  expect(await cli({ environment }).run("delegate", "greet", '{"name":"Ada"}')).toBe(0);
  expect(said).toEqual([trace]);
});

test("neither a terminal nor a pipe is given control characters of an action", async () => {
  await attached({ handle: async () => says("\u001b[2Jcleared") });
  for (const isTerminal of [true, false]) {
    const one = cli({ isTerminal, environment: { NO_COLOR: "1" } });
    await one.run("delegate", "greet");
    expect(one.out()).toBe("⟨U+001B⟩[2Jcleared\n");
  }
});

test("an action that fails says so on stderr, with the exit code of its end", async () => {
  const page = await attached({ handle: async () => ({ ...says("No \u001b[31mway."), isError: true }) });
  const io = cli();
  expect(await io.run("delegate", "greet")).toBe(1);
  expect([io.out(), io.err()]).toEqual(["", "Failed: No ⟨U+001B⟩[31mway.\n"]);
  expect(await cli().run("delegate", "great")).toBe(5);
  page.close();
  const late = cli();
  expect([5, 6]).toContain(await late.run("delegate", "greet"));
  expect(late.err()).toMatch(/^Failed: /);
});

test("for programs the whole outcome goes to stdout, whatever it is", async () => {
  await attached();
  const io = cli();
  await io.run("delegate", "greet", '{"name":"Ada"}', "--json");
  expect(JSON.parse(io.out())).toEqual({ outcome: "ok", text: 'Hello "Ada"!' });
  const failed = cli();
  expect(await failed.run("delegate", "great", "--json")).toBe(5);
  expect(JSON.parse(failed.out())).toMatchObject({ outcome: "rejected", ran: "no", code: "tool-not-found" });
});

test("time and key reach the hub", async () => {
  const page = await attached();
  expect(await cli().run("delegate", "greet", '{"name":"Ada"}', "--key", "k1")).toBe(0);
  expect(await cli().run("delegate", "greet", '{"name":"Ada"}', "--key", "k1", "--timeout", "7.5")).toBe(0);
  expect(page.calls.length).toBe(1);
  const slow = cli();
  await attached({ handle: runsOn, title: "Slow" });
  expect(await slow.run("delegate", "greet", "{}", "--timeout", "0.05")).toBe(8);
  const wrong = cli();
  expect(await wrong.run("delegate", "greet", "--timeout", "0")).toBe(2);
  expect(wrong.err()).toContain('--timeout must be a number from 0.001 to 900, not "0".');
});

test("an action whose own arguments are called action and browser_id is given them", async () => {
  const page = await attached({ handle: async () => says("opened") });
  expect(await cli().run("delegate", "greet", '{"action":"open","browser_id":"mine"}')).toBe(0);
  expect(page.calls[0]?.input).toEqual({ action: "open", browser_id: "mine" });
});

const inPieces = async ({ say, frame: { id } }: PageCall) => {
  say({ type: "log", id, level: "info", logger: chunkLogger }, "one ");
  say({ type: "progress", id, progress: 1, total: 2 });
  say({ type: "log", id, level: "info", logger: chunkLogger }, "two");
  return says("one two");
};

test("pieces are written as they come, and what they came to is not written again", async () => {
  await attached({ handle: inPieces });
  const io = cli();
  expect(await io.run("delegate", "greet", "{}", "--stream")).toBe(0);
  expect([io.out(), io.err()]).toEqual(["one two\n", "1/2\n"]);
  const screen = cli({ isTerminal: true, environment: { NO_COLOR: "1" } });
  await screen.run("delegate", "greet", "{}", "--stream");
  // A progress bar on the same line would erase the piece that was just written.
  expect([screen.out(), screen.err()]).toEqual(["one two\n", ""]);
});

test("a character that was cut in two pieces is written as one", async () => {
  const pieces = ["\ud83d", "\ude00 one\r", "\ntwo 👩", "\u200d", "💻\ud83d"];
  await attached({
    async handle({ say, frame: { id } }) {
      for (const piece of pieces) say({ type: "log", id, level: "info", logger: chunkLogger }, piece);
      return says("");
    },
  });
  for (const isTerminal of [true, false]) {
    const one = cli({ isTerminal, environment: { NO_COLOR: "1" } });
    await one.run("delegate", "greet", "{}", "--stream");
    expect(one.out()).toBe("\u{1f600} one\ntwo 👩\u200d💻⟨U+D83D⟩\n");
  }
});

test("an answer that is not what its pieces were follows them", async () => {
  await attached({
    async handle(call) {
      await inPieces(call);
      return says("2 words");
    },
  });
  const io = cli();
  await io.run("delegate", "greet", "{}", "--stream");
  expect(io.out()).toBe("one two\n2 words\n");
  const json = cli();
  await json.run("delegate", "greet", "{}", "--stream", "--json");
  const lines = json.out().trim().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { chunk: "one " },
    { progress: { progress: 1, total: 2 } },
    { chunk: "two" },
    { outcome: "ok", text: "2 words" },
  ]);
});

test.each([["--stream"], []])("Ctrl-C cancels the action in the tab (%j)", async (...more) => {
  const page = await attached({ handle: runsOn });
  const io = cli();
  const running = io.run("delegate", "greet", "{}", ...more);
  const { signal } = await page.firstCall;
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
  await io.interrupt();
  expect(await running).toBe(130);
  expect(io.err()).toContain("Cancelled from the command line.");
  await aborted;
});

test("an action with a key runs on after Ctrl-C, and the same key is told how it ended", async () => {
  let finish = () => {};
  const ended = new Promise<void>((resolve) => (finish = resolve));
  const page = await attached({ handle: () => ended.then(() => says("Done after all.")) });
  const io = cli();
  const running = io.run("delegate", "greet", "{}", "--key", "k");
  const { signal } = await page.firstCall;
  await io.interrupt();
  expect(await running).toBe(130);
  const again = cli();
  const rerun = again.run("delegate", "greet", "{}", "--key", "k");
  finish();
  expect([await rerun, again.out()]).toEqual([0, "Done after all.\n"]);
  expect([signal.aborted, page.calls.length]).toEqual([false, 1]);
});

test("--list shows what the tab can do, those for terminals only too, and nothing else does", async () => {
  const page = await attached({
    title: "A \u001b[31mpage",
    tools: [someTool, { ...someTool, name: "copy", description: "Copies.", _meta: terminalOnly }],
  });
  const io = cli();
  expect(await io.run("delegate", "--list")).toBe(0);
  expect(io.out()).toMatch(/^What test-app can do, in the tab "A \[31mpage" at http:.*:\n/u);
  expect(io.out()).toContain("greet {name: string}\n    Greets somebody.");
  expect(io.out()).toContain("copy {name: string}\n    Copies.");
  const json = cli();
  await json.run("delegate", "--list", "--json");
  expect(JSON.parse(json.out())).toMatchObject({
    tab: { id: page.tabId },
    actions: [{ name: "greet" }, { name: "copy" }],
  });
  const wrong = cli();
  expect(await wrong.run("delegate", "--list", "greet")).toBe(2);
  expect(await wrong.run("delegate", "--list", "--key", "k")).toBe(2);
  expect(wrong.err()).toContain('does not know what to do with "--key"');
  expect(await wrong.run("delegate")).toBe(2);
  expect(wrong.err()).toContain("npx pagewire delegate --list");
});

const clipboard = { ...someTool, name: "clipboard_write", inputSchema: { type: "object" } as const };
const osc52 = (text: string) => `\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`;

test("text goes into the clipboard by the tab: an argument, or what comes in as it is", async () => {
  const page = await attached({ tools: [clipboard], handle: async () => says("Copied.") });
  const io = cli({ isTerminal: true });
  expect(await io.run("copy-to-clipboard", "Grüße")).toBe(0);
  const piped = cli();
  piped.type(" one\ntwo \n");
  piped.endInput();
  expect(await piped.run("copy-to-clipboard", "--json")).toBe(0);
  expect(page.calls.map(({ input }) => input)).toEqual([{ text: "Grüße" }, { text: " one\ntwo \n" }]);
  expect(page.calls[0]?.frame.left).toBeLessThanOrEqual(5000);
  expect([io.out(), io.err(), io.shown, piped.out()]).toEqual(["", "", [], '{"copied":true,"by":"tab"}\n']);
});

test("where no tab can do it the terminal is asked, and where there is none that is said", async () => {
  const screen = cli({ isTerminal: true });
  expect(await screen.run("copy-to-clipboard", "Grüße")).toBe(0);
  expect([screen.shown, screen.out()]).toEqual([[osc52("Grüße")], ""]);
  await attached();
  const other = cli({ isTerminal: true });
  expect(await other.run("copy-to-clipboard", "x", "--json")).toBe(0);
  expect([other.shown, other.out()]).toEqual([[osc52("x")], '{"copied":true,"by":"terminal"}\n']);
  const nobody = cli();
  expect(await nobody.run("copy-to-clipboard", "x")).toBe(5);
  expect(nobody.err()).toContain("The text was not copied.");
});

test("who refuses in the tab is not gone round, and nothing is no text", async () => {
  const refusal = { ...says("No."), isError: true, _meta: { "pagewire/code": "action-refused" } };
  await attached({ tools: [clipboard], handle: async () => refusal });
  const screen = cli({ isTerminal: true });
  expect(await screen.run("copy-to-clipboard", "x")).toBe(1);
  expect([screen.shown, screen.err()]).toEqual([[], expect.stringContaining("No.")]);
  expect(await screen.run("copy-to-clipboard", "")).toBe(2);
  expect(screen.err()).toContain("There is nothing to copy.");
});
