import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestHub } from "../test-support/test-hub.test-helper.ts";
import type { TestHub } from "../test-support/test-hub.test-helper.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";
import type { PageCall } from "../test-support/test-page.test-helper.ts";

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

const says = (text: string) => ({ content: [{ type: "text", text }] });
const runsOn = () => new Promise<never>(() => {});

/** The command on a terminal, with the same state directory. */
const terminal = () => createTestIo({ home: cli.home, isTerminal: true, environment: { NO_COLOR: "1" } });

test("CL9: only the text of the page's answer goes to stdout", async () => {
  await hub.page({ handle: async () => says("line one\n\u001b[31mline two") });
  expect(await cli.run("call", "greet", '{"name":"Ada"}')).toBe(0);
  expect([cli.out(), cli.err()]).toEqual(["line one\n⟨U+001B⟩[31mline two\n", ""]);
});

test("a call whose page does not answer says that it may be asking a person", async () => {
  await hub.page({
    async handle() {
      await expect.poll(cli.err).toContain("It may be asking the person in front of it: look at its tab.");
      return says("done");
    },
  });
  expect(await cli.run("call", "greet", '{"name":"Ada"}')).toBe(0);
  expect(cli.out()).toBe("done\n");
});

test("a call has the trace context of TRACEPARENT and TRACESTATE, if they are valid", async () => {
  const said: unknown[] = [];
  await hub.page({
    async handle({ frame }) {
      said.push(frame.trace);
      return says("done");
    },
  });
  const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=b" };
  const { traceparent: TRACEPARENT, tracestate: TRACESTATE } = trace;
  for (const environment of [{ TRACEPARENT, TRACESTATE }, { TRACEPARENT: "yes" }, {}]) {
    const one = createTestIo({ home: cli.home, environment });
    expect(await one.run("call", "greet", '{"name":"Ada"}')).toBe(0);
    one.close();
  }
  expect(said).toEqual([trace, undefined, undefined]);
});

test("CL7: neither a terminal nor a pipe is given characters that act or hide, wherever a page puts them; JSON has the value", async () => {
  const hostile = "a\u001b]52;c;ZXZpbA==\u0007b\u202ec\u200bd\u{e0041}e\u009b2Jf\r\tg";
  const resource = { uri: hostile, mimeType: hostile, text: hostile };
  const answers = [
    says(hostile),
    {
      content: [
        { type: "resource", resource },
        { type: "resource_link", uri: hostile, name: hostile },
      ],
    },
    { structuredContent: { [hostile]: hostile } },
    { ...says(hostile), isError: true },
  ];
  let answer: object | undefined;
  await hub.page({
    async handle({ say, frame: { id } }) {
      say({ type: "progress", id, progress: 1, message: hostile });
      say({ type: "log", id, level: "info", logger: hostile }, JSON.stringify(hostile));
      return answer as never;
    },
  });
  for (answer of answers)
    for (const one of [createTestIo({ home: cli.home }), terminal()]) {
      await one.run("call", "greet");
      const bar = "\r\u001b[2K";
      expect(one.out()).not.toMatch(/(?![\n\t])[\p{Cc}\u202e\u200b\u{e0041}]/u);
      expect(one.err().replaceAll(bar, "")).not.toMatch(/(?![\n\t])[\p{Cc}\u202e\u200b\u{e0041}]/u);
    }
  await cli.run("call", "greet", "--json");
  expect(cli.out()).not.toMatch(/(?!\n)[\p{Cc}\u202e\u200b\u{e0041}]/u);
  expect(JSON.parse(cli.out())).toMatchObject({ result: { content: [{ text: hostile }] } });
});

test("CL9: an empty answer differs from no answer", async () => {
  await hub.page({ handle: async () => ({ content: [] }) });
  expect(await cli.run("call", "greet")).toBe(0);
  expect([cli.out(), cli.err()]).toEqual(["", "Done. The tool answered with nothing.\n"]);
});

test("CL9: a tool's error goes to stderr, with its exit code", async () => {
  await hub.page({ handle: async () => ({ ...says("No such \u001b[31mperson."), isError: true }) });
  expect(await cli.run("call", "greet", "{}")).toBe(1);
  expect([cli.out(), cli.err()]).toEqual(["", "The tool answered with an error:\nNo such ⟨U+001B⟩[31mperson.\n"]);
});

test("CL9: a call that ended without an answer has its outcome and a remedy on stderr", async () => {
  const page = await hub.page();
  expect(await cli.run("call", "great")).toBe(5);
  expect(cli.err()).toMatch(/^Rejected: There is no tool "great"\..*greet/);
  expect(await cli.run("call", "greet", "--tab", "nowhere")).toBe(5);
  expect(cli.err()).toContain(`Open tabs: ${page.tabId}`);
});

test("CL9: with --json, the whole outcome goes to stdout", async () => {
  const page = await hub.page();
  expect(await cli.run("call", "greet", '{"name":"Ada"}', "--json")).toBe(0);
  expect(JSON.parse(cli.out())).toEqual({ outcome: "ok", ran: "yes", result: says('Hello "Ada"!'), tabId: page.tabId });
  const other = terminal();
  expect(await other.run("call", "great", "--json")).toBe(5);
  expect(JSON.parse(other.out())).toMatchObject({ outcome: "rejected", ran: "no", code: "tool-not-found" });
});

test("CL9: tab, timeout and key reach the page", async () => {
  const page = await hub.page();
  await hub.page({ title: "In front" });
  const args = ["call", "greet", '{"name":"Ada"}', "--tab", page.tabId, "--timeout", "7.5", "--key", "key-1"];
  expect(await cli.run(...args)).toBe(0);
  const [call] = page.calls;
  expect([page.calls.length, call?.frame.key, call?.frame.agent.name]).toEqual([1, "key-1", "pagewire-cli"]);
  expect(call?.frame.left).toBeGreaterThan(7000);
  expect(call?.frame.left).toBeLessThanOrEqual(7500);
  expect(await cli.run(...args)).toBe(0);
  expect([page.calls.length, cli.out()]).toEqual([1, 'Hello "Ada"!\nHello "Ada"!\n']);
  expect(cli.err()).toContain("This call ran before");
});

test("CL9: a call whose deadline has passed has its own exit code", async () => {
  await hub.page({ handle: runsOn });
  expect(await cli.run("call", "greet", "--timeout", "0.05")).toBe(8);
  expect(cli.err()).toMatch(/^Too late: /);
  expect(await cli.run("call", "greet", "--timeout", "0")).toBe(2);
  expect(cli.err()).toContain('--timeout must be a number from 0.001 to 900, not "0".');
});

test("CL10: arguments come from the line or from the input", async () => {
  const page = await hub.page();
  cli.type('{"name":');
  cli.type('"Grace"}\n');
  cli.endInput();
  expect(await cli.run("call", "greet", "-")).toBe(0);
  await cli.run("call", "greet");
  expect(page.calls.map(({ input }) => input)).toEqual([{ name: "Grace" }, {}]);
});

test.each([
  ["{days: 7}", "{days: 7} is not JSON."],
  ["[1]", "[1] is not a JSON object."],
  ["7", "7 is not a JSON object."],
  [`{"a":${"[".repeat(100)}${"]".repeat(100)}}`, "is not JSON."],
])("CL10: %s is refused as arguments before anything is sent", async (text, message) => {
  const page = await hub.page();
  expect(await cli.run("call", "greet", text)).toBe(2);
  expect(cli.err()).toContain(message);
  expect(cli.err()).toContain(`'{"days": 7}'`);
  expect(page.calls).toEqual([]);
});

const withProgress = async ({ say, frame: { id } }: PageCall) => {
  say({ type: "progress", id, progress: 1, total: 4, message: "reading\u001b[2J" });
  say({ type: "log", id, level: "warning", logger: "app" }, "disk is slow");
  say({ type: "progress", id, progress: 3 });
  return says("done");
};

test("progress and logs are lines on stderr", async () => {
  await hub.page({ handle: withProgress });
  expect(await cli.run("call", "greet")).toBe(0);
  expect([cli.out(), cli.err()]).toEqual(["done\n", "1/4 reading⟨U+001B⟩[2J\nwarning app: disk is slow\n3\n"]);
});

test("on a terminal, progress is a bar in one line, which is removed at the end", async () => {
  await hub.page({ handle: withProgress });
  const screen = terminal();
  await screen.run("call", "greet");
  const clear = "\r\u001b[2K";
  expect(screen.err()).toBe(
    [
      `${clear}[######------------------] 1/4 reading⟨U+001B⟩[2J`,
      `${clear}warning app: disk is slow\n`,
      `${clear}… 3`,
      clear,
    ].join(""),
  );
});

test("a page's question is shown on the terminal, and the page gets the answer", async () => {
  const answers: unknown[] = [];
  const properties = {
    email: { type: "string", title: "E-mail", description: "where to send it" },
    count: { type: "integer", default: 3 },
    size: { type: "string", enum: ["small", "large"] },
    gift: { type: "boolean" },
  };
  const parameters = {
    message: "Send it?",
    requestedSchema: { type: "object", properties, required: ["email", "gift"] },
  };
  await hub.page({
    async handle({ ask }) {
      answers.push(await ask(parameters));
      return says("sent");
    },
  });
  const screen = terminal();
  const code = screen.run("call", "greet");
  for (const [prompt, typed] of [
    ["greet asks: Send it?\n", "y\n"],
    ["E-mail (where to send it): ", "\n"],
    ["This is needed.\n", "ada@example.com\n"],
    ["count [3]: ", "\n"],
    ["size (one of: small, large; Enter to leave it out): ", "huge\n"],
    ["Choose one of: small, large.\n", "2\n"],
    ["gift (yes or no): ", "perhaps\n"],
    ["Answer with yes or no.\n", "no\n"],
  ] as const) {
    await screen.wrote(prompt);
    screen.type(typed);
  }
  expect(await code).toBe(0);
  expect(answers).toEqual([
    { action: "accept", content: { email: "ada@example.com", count: 3, size: "large", gift: false } },
  ]);
});

test("the question is repeated after an answer outside the bounds of its field", async () => {
  const answers: unknown[] = [];
  const properties = { age: { type: "integer", minimum: 18 }, code: { type: "string", minLength: 2 } };
  await hub.page({
    async handle({ ask }) {
      answers.push(await ask({ message: "Who?", requestedSchema: { type: "object", properties, required: ["age"] } }));
      return says("done");
    },
  });
  const screen = terminal();
  const code = screen.run("call", "greet");
  for (const [prompt, typed] of [
    ["greet asks: Who?\n", "y\n"],
    ["age: ", "5\n"],
    ["This must be at least 18.\n", "20\n"],
    ["code (Enter to leave it out): ", "x\n"],
    ["This must have at least 2 characters.\n", "\n"],
  ] as const) {
    await screen.wrote(prompt);
    screen.type(typed);
  }
  expect(await code).toBe(0);
  expect(answers).toEqual([{ action: "accept", content: { age: 20 } }]);
});

test.each([
  ["n\n", { action: "decline" }],
  ["y\n", { action: "accept", content: {} }],
])("a question without fields is answered with %j", async (typed, expected) => {
  const answers: unknown[] = [];
  await hub.page({
    async handle({ ask }) {
      answers.push(await ask({ message: "Delete all?" }));
      return says("done");
    },
  });
  const screen = terminal();
  const code = screen.run("call", "greet");
  await screen.wrote("Yes or no? [y/n]");
  screen.type(typed);
  expect(await code).toBe(0);
  expect(answers).toEqual([expected]);
});

test("the end of the input cancels the question", async () => {
  const answers: unknown[] = [];
  await hub.page({
    async handle({ ask }) {
      answers.push(await ask({ message: "Delete all?" }));
      return says("done");
    },
  });
  const screen = terminal();
  const code = screen.run("call", "greet");
  await screen.wrote("Yes or no?");
  screen.endInput();
  expect(await code).toBe(0);
  expect(answers).toEqual([{ action: "cancel" }]);
});

test("without a terminal, the command does not offer to answer questions", async () => {
  const page = await hub.page();
  await cli.run("call", "greet");
  const screen = terminal();
  await screen.run("call", "greet");
  expect(page.calls.map(({ frame }) => frame.asks)).toEqual([undefined, ["elicitation/create"]]);
});

test("Ctrl-C cancels the call in the page", async () => {
  const page = await hub.page({ handle: runsOn });
  const code = cli.run("call", "greet", "--json");
  const { signal } = await page.firstCall;
  const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
  await cli.interrupt();
  expect(await code).toBe(130);
  expect(JSON.parse(cli.out())).toMatchObject({ outcome: "cancelled", ran: "maybe" });
  expect(cli.err()).toBe("Cancelling. Ctrl-C again does not wait.\n");
  await aborted;
});

test("Ctrl-C exits at once if nothing was sent", async () => {
  const code = cli.run("call", "greet", "-");
  await cli.interrupt();
  expect(await code).toBe(130);
  expect(cli.err()).toContain("Cancelled from the command line.");
});

test("a second Ctrl-C does not wait for the page", async () => {
  const page = await hub.page({ handle: runsOn });
  const code = cli.run("call", "greet");
  await page.firstCall;
  await cli.interrupt();
  await cli.interrupt();
  expect([await code, cli.out()]).toEqual([130, ""]);
});
