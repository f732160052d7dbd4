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

test("attaching an ordinary terminal registers it with the hub, and its programs act in that tab", async () => {
  const page = await attached();
  await hub.page({ title: "In front" });
  const io = cli();
  expect(await io.run("delegate", "greet", '{"name":"Ada"}')).toBe(0);
  expect([io.out(), io.err()]).toEqual(['Hello "Ada"!\n', ""]);
  expect(page.calls.map(({ name, input }) => [name, input])).toEqual([["greet", { name: "Ada" }]]);
});

test("the id that browser-id prints stays valid after every attach, even one without a command", async () => {
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

test("attaching a terminal again moves it to the other tab, with the same id", async () => {
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

test("the error for an unknown tab lists the open ones, and nothing changes", async () => {
  const page = await attached();
  const id = await printed("browser-id");
  const io = cli();
  expect(await io.run("attach-browser", "no-such-tab")).toBe(5);
  expect(io.err()).toContain(page.tabId);
  expect(await printed("browser-id")).toBe(id);
  expect(await cli().run("delegate", "greet", '{"name":"Ada"}')).toBe(0);
});

test("if the terminal belongs to no tab, delegate says how to get one", async () => {
  const io = cli();
  expect(await io.run("delegate", "greet")).toBe(5);
  expect(io.err()).toContain("npx pagewire attach-browser <id>");
  expect(io.out()).toBe("");
});

test("the answer of an action goes to stdout: its text, else its content as JSON", async () => {
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

test("an action has the trace context of TRACEPARENT and TRACESTATE", async () => {
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

test("control characters of an action reach neither a terminal nor a pipe", async () => {
  await attached({ handle: async () => says("\u001b[2Jcleared") });
  for (const isTerminal of [true, false]) {
    const one = cli({ isTerminal, environment: { NO_COLOR: "1" } });
    await one.run("delegate", "greet");
    expect(one.out()).toBe("⟨U+001B⟩[2Jcleared\n");
  }
});

test("a failed action writes to stderr, with the exit code of its outcome", async () => {
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

test("with --json, the whole outcome goes to stdout", async () => {
  await attached();
  const io = cli();
  await io.run("delegate", "greet", '{"name":"Ada"}', "--json");
  expect(JSON.parse(io.out())).toEqual({ outcome: "ok", text: 'Hello "Ada"!' });
  const failed = cli();
  expect(await failed.run("delegate", "great", "--json")).toBe(5);
  expect(JSON.parse(failed.out())).toMatchObject({ outcome: "rejected", ran: "no", code: "tool-not-found" });
});

test("timeout and key reach the hub", async () => {
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

test("an action can have arguments named action and browser_id", async () => {
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

test("chunks are written as they arrive, and not repeated at the end", async () => {
  await attached({ handle: inPieces });
  const io = cli();
  expect(await io.run("delegate", "greet", "{}", "--stream")).toBe(0);
  expect([io.out(), io.err()]).toEqual(["one two\n", "1/2\n"]);
  const screen = cli({ isTerminal: true, environment: { NO_COLOR: "1" } });
  await screen.run("delegate", "greet", "{}", "--stream");
  // A progress bar on the same line would erase the piece that was just written.
  expect([screen.out(), screen.err()]).toEqual(["one two\n", ""]);
});

test("a character that was split over two chunks is written whole", async () => {
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

test("an answer that differs from its chunks follows them", async () => {
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

test("an action with a key continues after Ctrl-C, and the same key gets its outcome", async () => {
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

test("only --list shows the actions of the tab, including those for terminals only", async () => {
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

test("the tab copies text to the clipboard: an argument, or the unchanged input", async () => {
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

test("without a tab, the terminal copies it; without a terminal, the command reports that", async () => {
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

test("a refusal in the tab is final, and empty text is refused", async () => {
  const refusal = { ...says("No."), isError: true, _meta: { "pagewire/code": "action-refused" } };
  await attached({ tools: [clipboard], handle: async () => refusal });
  const screen = cli({ isTerminal: true });
  expect(await screen.run("copy-to-clipboard", "x")).toBe(1);
  expect([screen.shown, screen.err()]).toEqual([[], expect.stringContaining("No.")]);
  expect(await screen.run("copy-to-clipboard", "")).toBe(2);
  expect(screen.err()).toContain("There is nothing to copy.");
});
