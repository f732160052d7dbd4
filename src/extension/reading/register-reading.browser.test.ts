import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { createToolbox, loadCalls, loadJsonSchemaValidator } from "../../toolbox/index.ts";
import { registerReading } from "./register-reading.ts";
import type { Captured } from "./register-reading.ts";

afterEach(() => vi.restoreAllMocks());

interface Result {
  readonly content: readonly { readonly text?: string; readonly data?: string; readonly mimeType?: string }[];
  readonly structuredContent?: { readonly part: number; readonly parts: number; readonly markdown: string };
  readonly isError?: boolean;
}

function start(capture: () => Promise<Captured> = () => Promise.reject(new Error("not asked"))) {
  const toolbox = createToolbox({
    loadCalls,
    loadValidator: loadJsonSchemaValidator,
    onError: (error) => {
      throw error;
    },
  });
  const remove = registerReading(toolbox, { capture, guard: (call, run) => run(call.context.signal) });
  async function call(name: string, input: object = {}, signal = new AbortController().signal): Promise<Result> {
    const outcome = await toolbox.callTool(name, input, {
      callId: "1",
      agent: { name: "a test" },
      signal,
      deadline: Infinity,
      asks: [],
      rounds: false,
      progress() {},
      log() {},
      ask: () => Promise.reject(new Error("nobody")),
    });
    if (outcome.kind !== "result") throw new Error(JSON.stringify(outcome));
    return JSON.parse(outcome.payload) as Result;
  }
  return { toolbox, remove, call };
}

function show(html: string): void {
  const holder = document.createElement("div");
  holder.innerHTML = html;
  document.body.append(holder);
  onTestFinished(() => holder.remove());
}

test("both tools only read, say that their text is the page's, and go when reading is switched off", () => {
  const { toolbox, remove } = start();
  for (const { annotations } of toolbox.offer().tools) {
    expect(annotations).toEqual({ readOnlyHint: true, openWorldHint: true, untrustedContentHint: true });
  }
  expect(toolbox.list().map(({ name }) => name)).toEqual(["read_page", "screenshot"]);
  remove();
  expect(toolbox.list()).toEqual([]);
});

test("a short page is one part, with its title and its address without the query", async () => {
  show("<h1>Hello</h1><input type=password value=secret>");
  document.title = "A test";
  const { content, structuredContent } = await start().call("read_page");
  const address = `${location.origin}${location.pathname}`;
  expect(content[0]?.text).toContain(`A test\n${address}\n\n`);
  expect(content[0]?.text).toContain("# Hello\n\n[field (password)]");
  expect(structuredContent).toMatchObject({ title: "A test", address, part: 1, parts: 1 });
  expect(JSON.stringify({ content, structuredContent })).not.toContain("secret");
});

test("a long page has parts, of which each says where it goes on", async () => {
  show(Array.from({ length: 1200 }, (_, at) => `<p>paragraph ${at} ${"word ".repeat(10)}</p>`).join(""));
  const { call } = start();
  const first = await call("read_page");
  expect(first.structuredContent).toMatchObject({ part: 1, parts: 4 });
  expect(first.content[0]?.text).toContain("(Part 1 of 4: ask for part 2 to read on.)");
  const all: string[] = [];
  for (let part = 1; part <= 4; part++) {
    all.push((await call("read_page", { part })).structuredContent?.markdown ?? "");
  }
  for (const markdown of all) expect(markdown.length).toBeLessThanOrEqual(20_000);
  const numbers = [...all.join("\n\n").matchAll(/^paragraph (\d+)/gm)].map(([, at]) => Number(at));
  expect(numbers).toEqual(Array.from({ length: 1200 }, (_, at) => at));
  expect((await call("read_page", { part: 4 })).content[0]?.text).toContain("(Part 4, the last.)");
  expect(await call("read_page", { part: 5 })).toMatchObject({
    isError: true,
    content: [{ text: "There is no part 5: the page has 4 now." }],
  });
});

test.each([{ part: 0 }, { part: 1.5 }, { part: "2" }, { selector: "p" }])("%j is refused", async (input) => {
  await expect(start().call("read_page", input)).rejects.toThrow("input-invalid");
});

test("a page without text says so", async () => {
  document.body.style.display = "none";
  onTestFinished(() => document.body.removeAttribute("style"));
  expect((await start().call("read_page")).content[0]?.text).toContain("(The page shows no text.)");
});

test("a picture is an image, and a refusal the tool's error", async () => {
  const picture = "data:image/jpeg;base64,AAAA";
  expect(await start(async () => ({ picture })).call("screenshot")).toEqual({
    content: [{ type: "image", data: "AAAA", mimeType: "image/jpeg" }],
  });
  for (const [captured, text] of [
    [{ message: "Click the button." }, "Click the button."],
    [{}, "The browser gave no picture."],
    [{ picture: "data:text/html;base64,AAAA" }, "The browser gave no picture."],
  ] as const) {
    expect(await start(async () => captured).call("screenshot")).toMatchObject({ isError: true, content: [{ text }] });
  }
});

test("no picture of a hidden page is asked for", async () => {
  vi.spyOn(Document.prototype, "hidden", "get").mockReturnValue(true);
  const { content, isError } = await start().call("screenshot");
  expect(isError).toBe(true);
  expect(content[0]?.text).toContain("not visible");
});

test("a call that is cancelled waits for no picture", async () => {
  const cancel = new AbortController();
  let wasAsked = () => {};
  const asked = new Promise<void>((resolve) => (wasAsked = resolve));
  const { call } = start(() => {
    wasAsked();
    return new Promise(() => {});
  });
  const result = call("screenshot", {}, cancel.signal);
  await asked;
  cancel.abort(new Error("cancelled"));
  await expect(result).rejects.toThrow("aborted");
});
