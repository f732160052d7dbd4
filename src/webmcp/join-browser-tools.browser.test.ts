// The tools of a real document: of the browser's own model context if it has one, else of the polyfill's.
import { beforeAll, expect, inject, test } from "vitest";
import { contextOf, frameOf, joinedToolbox, put, show, stock } from "./join/joined.test-helper.ts";
import type { ModelContext } from "./model-context.ts";
import { markOwnTool } from "./own-tools.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly native: boolean;
  }
}

beforeAll(async () => {
  if (!inject("native")) await import("./polyfill/index.ts");
});

const autoForm = '<form toolname="send" tooldescription="Sends" toolautosubmit><input name="q" required></form>';
const waitingForm = '<form toolname="order" tooldescription="Orders"><input name="q"><button>Go</button></form>';

/** Answers each submission of a form with its field's value. */
function answering(form: HTMLFormElement): HTMLFormElement {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { q } = Object.fromEntries(new FormData(form)) as { q: string };
    (event as unknown as { respondWith(answer: Promise<unknown>): void }).respondWith(Promise.resolve({ got: q }));
  });
  return form;
}

/** The next event of this type at a model context, for a tool. */
const heard = (type: string, context = contextOf()) =>
  new Promise<string>((resolve) =>
    context.addEventListener(type, (event) => resolve((event as unknown as { toolName: string }).toolName), {
      once: true,
    }),
  );

test("scripts' tools and forms join, and a call runs them", async () => {
  const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  await stock({
    name: "double",
    title: "Double",
    inputSchema,
    execute: (input) => ({ n: (input as { n: number }).n * 2 }),
  });
  answering(put(autoForm));
  const { toolbox, names, call } = joinedToolbox();
  await expect.poll(names).toEqual(["double", "send"]);
  expect(toolbox.offer().tools).toMatchObject([
    { name: "double", title: "Double", inputSchema, _meta: { "pagewire/source": "browser" } },
    { name: "send", description: "Sends", inputSchema: { required: ["q"] } },
  ]);
  expect(await call("double", { n: 21 })).toEqual({ text: '{"n":42}', isError: false, structured: { n: 42 } });
  await expect(call("double", { n: "x" })).rejects.toThrow("/n");
  expect(await call("send", { q: "hello" })).toMatchObject({ structured: { got: "hello" } });
});

test("what comes and goes later is followed, of scripts and of forms", async () => {
  const { names } = joinedToolbox();
  const remove = await stock({ name: "late" });
  const form = put<HTMLFormElement>(autoForm);
  await expect.poll(names).toEqual(["late", "send"]);
  form.setAttribute("toolname", "renamed");
  await expect.poll(names).toEqual(["late", "renamed"]);
  remove();
  form.remove();
  await expect.poll(names).toEqual([]);
});

test("what Pagewire registers in the browser does not join", async () => {
  const { names } = joinedToolbox();
  const mark = markOwnTool("mirrored");
  const remove = await stock({ name: "mirrored" });
  mark.taken();
  await stock({ name: "stock" });
  await expect.poll(names).toEqual(["stock"]);
  remove();
  mark.remove();
  await stock({ name: "another" });
  await expect.poll(names).toEqual(["stock", "another"]);
});

test("a joined tool remains when Pagewire tries its name and the browser refuses it", async () => {
  await stock({ name: "search" });
  const { names, toolbox } = joinedToolbox();
  await expect.poll(names).toEqual(["search"]);
  const changes: object[] = [];
  toolbox.subscribe((change) => changes.push(change));
  const mark = markOwnTool("search");
  await stock({ name: "later" });
  await expect.poll(names).toEqual(["search", "later"]);
  await expect(contextOf().registerTool({ name: "search", description: "d", execute: () => "" })).rejects.toThrow();
  mark.remove();
  await stock({ name: "last" });
  await expect.poll(names).toEqual(["search", "later", "last"]);
  expect(JSON.stringify(changes)).not.toContain("search");
});

test("a tool that throws is an error, and the browser keeps the reason to itself", async () => {
  await stock({ name: "thrower", execute: () => Promise.reject(new Error("no stock left")) });
  const { names, call } = joinedToolbox();
  await expect.poll(names).toEqual(["thrower"]);
  expect(await call("thrower")).toEqual({
    isError: true,
    text: expect.stringMatching(inject("native") ? /The browser does not tell why/ : /does not tell why|no stock left/),
  });
});

test("a tool that takes itself away during its call still answers", async () => {
  const removal = new AbortController();
  await contextOf().registerTool(
    {
      name: "once",
      description: "d",
      async execute() {
        removal.abort();
        await expect.poll(names).toEqual([]);
        return "done";
      },
    },
    { signal: removal.signal },
  );
  const { names, call } = joinedToolbox();
  await expect.poll(names).toEqual(["once"]);
  expect(await call("once")).toEqual({ text: "done", isError: false });
});

test("a call that is cancelled aborts the signal of the tool", async () => {
  let signal: AbortSignal | undefined;
  await stock({
    name: "slow",
    execute: (_input, options) => new Promise(() => ({ signal } = options as { signal: AbortSignal })),
  });
  const { names, call } = joinedToolbox();
  await expect.poll(names).toEqual(["slow"]);
  const cancelling = new AbortController();
  const running = call("slow", {}, cancelling.signal);
  await expect.poll(() => signal).toBeDefined();
  cancelling.abort();
  await expect(running).rejects.toThrow("aborted");
  await expect.poll(() => signal?.aborted).toBe(true);
});

test("a form that does not submit itself is filled in and waits for the user, until it is cancelled", async () => {
  const form = answering(put(waitingForm));
  const { names, call } = joinedToolbox();
  await expect.poll(names).toEqual(["order"]);
  const activated = heard("toolactivated");
  const running = call("order", { q: "one tea" });
  expect(await activated).toBe("order");
  expect(form.querySelector("input")?.value).toBe("one tea");
  form.querySelector("button")?.click();
  expect(await running).toMatchObject({ structured: { got: "one tea" } });

  const again = heard("toolactivated");
  const cancelled = heard("toolcancel");
  const cancelling = new AbortController();
  const waiting = call("order", { q: "two" }, cancelling.signal);
  await again;
  cancelling.abort();
  await expect(waiting).rejects.toThrow("aborted");
  expect(await cancelled).toBe("order");
});

test("calls of one form run one after the other, each has its own answer, and cancelling one leaves the next", async () => {
  const form = answering(put(waitingForm));
  const { names, call } = joinedToolbox();
  await expect.poll(names).toEqual(["order"]);
  const [first, second] = [new AbortController(), new AbortController()];
  const activated = heard("toolactivated");
  const calls = [
    call("order", { q: "1" }, first.signal),
    call("order", { q: "2" }, second.signal),
    call("order", { q: "3" }),
  ];
  await activated;
  expect(form.querySelector("input")?.value).toBe("1");
  // A queued call gives up: the form is still busy.
  second.abort();
  await expect(calls[1]).rejects.toThrow("aborted");
  expect(form.querySelector("input")?.value).toBe("1");
  const next = heard("toolactivated");
  first.abort();
  await expect(calls[0]).rejects.toThrow("aborted");
  await next;
  form.querySelector("button")?.click();
  expect(await calls[2]).toMatchObject({ structured: { got: "3" } });
});

test("an answer that the page gives to a call that was cancelled is not given to the next", async () => {
  const form = put<HTMLFormElement>(autoForm);
  const submitted: ((answer: unknown) => void)[] = [];
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const answer = new Promise((resolve) => submitted.push(resolve));
    (event as unknown as { respondWith(answer: Promise<unknown>): void }).respondWith(answer);
  });
  const { names, call } = joinedToolbox();
  await expect.poll(names).toEqual(["send"]);
  const cancelling = new AbortController();
  const first = call("send", { q: "1" }, cancelling.signal);
  await expect.poll(() => submitted.length).toBe(1);
  cancelling.abort();
  await expect(first).rejects.toThrow("aborted");
  const second = call("send", { q: "2" });
  await expect.poll(() => submitted.length).toBe(2);
  submitted[0]?.("the first's");
  await new Promise((resolve) => setTimeout(resolve));
  submitted[1]?.("the second's");
  expect(await second).toMatchObject({ text: "the second's" });
});

test("a form in a shadow root is a form, too", async () => {
  const host = put("<div></div>");
  host.attachShadow({ mode: "open" }).innerHTML = autoForm;
  answering(host.shadowRoot?.firstElementChild as HTMLFormElement);
  const { names, call } = joinedToolbox();
  // The polyfill does not search shadow roots.
  await expect.poll(names).toEqual(inject("native") ? ["send"] : []);
  if (!inject("native")) return;
  expect(await Promise.all([call("send", { q: "1" }), call("send", { q: "2" })])).toMatchObject([
    { structured: { got: "1" } },
    { structured: { got: "2" } },
  ]);
});

test("a call whose form another caller uses fails with a reason, and cancelling it has no effect", async () => {
  const form = answering(put(waitingForm));
  const { names, call } = joinedToolbox();
  await expect.poll(names).toEqual(["order"]);
  const activated = heard("toolactivated");
  const cancelling = new AbortController();
  const ours = call("order", { q: "ours" }, cancelling.signal);
  await activated;
  const [tool] = await contextOf().getTools();
  if (!tool) throw new Error("The form is gone.");
  const theirs = contextOf().executeTool(tool, { q: "theirs" });
  expect(await ours).toEqual({ isError: true, text: expect.stringContaining('Another call of the form "order"') });
  cancelling.abort();
  form.querySelector("button")?.click();
  expect(await theirs).toBe('{"got":"theirs"}');
});

test("another context in the place of document.modelContext is read when the window has the focus, and the old one again", async () => {
  await stock({ name: "real" });
  const { names } = joinedToolbox();
  await expect.poll(names).toEqual(["real"]);
  const replacing = Object.assign(new EventTarget(), {
    getTools: async () => [{ name: "replaced", description: "d", window, origin: location.origin }],
    executeTool: async () => "replaced",
  }) as Pick<ModelContext, "getTools" | "executeTool">;
  const had = Object.getOwnPropertyDescriptor(document, "modelContext");
  Object.defineProperty(document, "modelContext", { configurable: true, value: replacing });
  window.dispatchEvent(new Event("focus"));
  await expect.poll(names).toEqual(["replaced"]);
  if (had) Object.defineProperty(document, "modelContext", had);
  else Reflect.deleteProperty(document, "modelContext");
  document.dispatchEvent(new Event("visibilitychange"));
  await expect.poll(names).toEqual(["real"]);
});

test("origins that the browser does not accept are reported, and the page's own tools still join", async () => {
  await stock({ name: "own" });
  const { names, errors } = joinedToolbox({ fromOrigins: ["http://b.example"] });
  await expect.poll(names).toEqual(["own"]);
  expect(errors).toEqual([expect.stringContaining("No tools of http://b.example join: ")]);
});

test("of two toolboxes in a document one has the browser's tools, and the other when that stops", async () => {
  await stock({ name: "stock" });
  const first = joinedToolbox();
  const second = joinedToolbox();
  await expect.poll(first.names).toEqual(["stock"]);
  await stock({ name: "late" });
  await expect.poll(first.names).toEqual(["stock", "late"]);
  expect(second.names()).toEqual([]);
  first.stop();
  expect(first.names()).toEqual([]);
  await expect.poll(second.names).toEqual(["late", "stock"]);
});

test("a frame's tools and forms join, those of frames in it too, and go with it", async () => {
  const { names, call } = joinedToolbox();
  const frame = await frameOf(autoForm.replace("send", "kidform"));
  await stock({ name: "kid" }, frame.contentDocument);
  await stock({ name: "own" });
  await expect.poll(names).toEqual(expect.arrayContaining(["own", "kid", "kidform"]));
  expect(await call("kid")).toMatchObject({ text: "kid ran" });

  const inner = await frameOf("", frame.contentDocument);
  await stock({ name: "grandkid" }, inner.contentDocument);
  await expect.poll(names).toContain("grandkid");
  inner.remove();
  await expect.poll(names).not.toContain("grandkid");
  // The frame navigates to another document, whose tools join.
  await show(frame, autoForm.replace("send", "elsewhere"));
  await expect.poll(names).toEqual(["own", "elsewhere"]);
  frame.remove();
  await expect.poll(names).toEqual(["own"]);
});

test("a frame's tool gives way to the page's own of the same name", async () => {
  const { names, call } = joinedToolbox();
  const frame = await frameOf();
  await stock({ name: "go", execute: () => "the frame's" }, frame.contentDocument);
  await expect.poll(names).toEqual(["go"]);
  await stock({ name: "go", execute: () => "the page's" });
  await expect.poll(names).toEqual(["go", "go_2"]);
  expect([await call("go"), await call("go_2")]).toMatchObject([{ text: "the page's" }, { text: "the frame's" }]);
});

test("a frame whose page offers its own tools is ignored for as long as it offers them", async () => {
  const { names } = joinedToolbox();
  const frame = await frameOf();
  await stock({ name: "kid" }, frame.contentDocument);
  await expect.poll(names).toEqual(["kid"]);
  const pages = new Set(["a page"]);
  const child = frame.contentWindow;
  Object.assign(child, { [Symbol.for("pagewire.pages")]: pages });
  child.dispatchEvent(new Event("pagewire-offers"));
  await expect.poll(names).toEqual([]);
  pages.clear();
  child.dispatchEvent(new Event("pagewire-offers"));
  await expect.poll(names).toEqual(["kid"]);
});

test("a call in a frame that is removed ends with the error that the tool was removed", async () => {
  const { names, call } = joinedToolbox();
  const frame = await frameOf();
  let isRunning = false;
  await stock({ name: "kid", execute: () => ((isRunning = true), new Promise(() => {})) }, frame.contentDocument);
  await expect.poll(names).toEqual(["kid"]);
  const running = call("kid");
  await expect.poll(() => isRunning).toBe(true);
  frame.remove();
  expect(await running).toEqual({ isError: true, text: expect.stringContaining("its frame was closed") });
  await expect.poll(names).toEqual([]);
});

test("a model context that is given is read instead of the document's, and its tools without a window are this document's", async () => {
  await stock({ name: "documents" });
  const given = Object.assign(new EventTarget(), {
    tools: [{ name: "first", description: "d" }],
    getTools: () => Promise.resolve(given.tools),
    executeTool: (tool: unknown) => Promise.resolve(`${(tool as { name: string }).name} ran`),
  });
  const { names, toolbox, call } = joinedToolbox({ modelContext: () => given });
  await expect.poll(names).toEqual(["first"]);
  expect(toolbox.offer().tools).toMatchObject([{ description: "d", _meta: { "pagewire/source": "browser" } }]);
  expect(await call("first")).toMatchObject({ text: "first ran", isError: false });
  given.tools = [{ name: "second", description: "d" }];
  given.dispatchEvent(new Event("toolchange"));
  await expect.poll(names).toEqual(["second"]);
});
