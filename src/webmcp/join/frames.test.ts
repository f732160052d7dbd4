import { expect, test } from "vitest";
import { fakeJoin, fakeWindow, settled } from "./fake-model-context.test-helper.ts";
import type { FakeTool } from "./fake-model-context.test-helper.ts";

const pagesKey = Symbol.for("pagewire.pages");

test("a frame's tool has its origin, and one of another origin is marked as untrusted", async () => {
  const { context, own, tools } = await fakeJoin({ fromOrigins: ["https://b.example"] });
  const frame = fakeWindow({ parent: own, path: "/child" });
  const written = fakeWindow({ parent: own, path: "srcdoc" });
  const stranger = fakeWindow({ parent: own });
  const origin = "https://b.example";
  context.change(
    { name: "kid", description: "A child's", window: frame },
    { name: "inline", window: written },
    { name: "pay", description: "p".repeat(5000), title: "t".repeat(5000), window: stranger, origin },
  );
  await settled();
  const [kid, inline, pay] = tools();
  expect(kid).toMatchObject({
    description: "A child's\n(From a frame of this page: https://shop.example/child)",
    _meta: { "pagewire/source": "browser", "pagewire/frame": "https://shop.example/child" },
  });
  expect(kid).not.toHaveProperty("annotations");
  expect(inline?._meta).toMatchObject({ "pagewire/frame": "https://shop.example" });
  expect(pay).toMatchObject({
    annotations: { untrustedContentHint: true },
    _meta: { "pagewire/frame": origin },
    title: "t".repeat(2000),
    description: `${"p".repeat(2000)}\n(From a frame of this page: ${origin})`,
  });
  expect(context.asked.at(-1)).toEqual({ fromOrigins: [origin] });
});

test("of tools with one name the page's own has it, and frames' get _2, _3, which they keep while they live", async () => {
  const { context, own, call, names } = await fakeJoin();
  const [one, two] = ["/one", "/two"].map((path) => fakeWindow({ parent: own, path }));
  const saying = (text: string, window = own): FakeTool => ({ name: "go", window, execute: () => text });
  const answers = async () =>
    Object.fromEntries(
      await Promise.all(
        names().map(async (name) => {
          const outcome = await call(name);
          return [name, /"text":"(\w+)"/.exec("payload" in outcome ? outcome.payload : "")?.[1]] as const;
        }),
      ),
    );
  context.change(saying("one", one), saying("two", two));
  await settled();
  expect(await answers()).toEqual({ go: "one", go_2: "two" });
  // The page's own tool takes its name from any frame's.
  context.change(saying("one", one), saying("own"), saying("two", two));
  await settled();
  expect(await answers()).toEqual({ go: "own", go_2: "two", go_3: "one" });
  context.change(saying("one", one), saying("own"));
  await settled();
  expect(await answers()).toEqual({ go: "own", go_3: "one" });
  // No frame gets it while the page's own tool is gone for a moment.
  context.change(saying("two", two), saying("one", one));
  await settled();
  expect(await answers()).toEqual({ go_2: "two", go_3: "one" });
});

test("a frame does not get a name that the page's toolbox has or had, and long names keep their length", async () => {
  const long = "x".repeat(128);
  let own = { remove() {} };
  const join = await fakeJoin({
    prepare({ toolbox }) {
      own = toolbox.registerTool({ name: "pay", execute: () => "" });
      toolbox.registerTool({ name: long, execute: () => "" });
    },
  });
  const window = fakeWindow({ parent: join.own });
  join.context.change({ name: "pay", window }, { name: long, window });
  await settled();
  expect(join.names()).toEqual(["pay", long, "pay_2", `${"x".repeat(126)}_2`]);
  own.remove();
  await settled();
  join.context.change({ name: "pay", window, description: "again" });
  await settled();
  expect(join.names()).toEqual([long, "pay_2"]);
});

test("a tool that the browser refused gives way to a script's of its name, and never to a frame's", async () => {
  const { context, own, names, call } = await fakeJoin({
    isRefused: () => true,
    prepare: ({ toolbox }) => void toolbox.registerTool({ name: "pay", execute: () => "the page's" }),
  });
  const window = fakeWindow({ parent: own, path: "/child" });
  context.change({ name: "pay", window, execute: () => "the frame's" });
  await settled();
  expect(names()).toEqual(["pay", "pay_2"]);
  expect(await call("pay")).toMatchObject({ payload: expect.stringContaining("the page's") as string });
  context.change({ name: "pay", execute: () => "the script's" });
  await settled();
  expect(await call("pay")).toMatchObject({ payload: expect.stringContaining("the script's") as string });
  context.change({ name: "pay", window, execute: () => "the frame's" });
  await settled();
  expect(await call("pay")).toMatchObject({ payload: expect.stringContaining("the page's") as string });
});

test("a frame that has a page of its own offers itself with the frames in it, until that closes", async () => {
  const { context, own, names, look, followed } = await fakeJoin();
  const child = fakeWindow({ parent: own, path: "/child" });
  const grandchild = fakeWindow({ parent: child, path: "/grandchild" });
  const pages = new Set(["a page"]);
  Object.assign(child, { [pagesKey]: pages });
  context.change({ name: "kid", window: child }, { name: "grand", window: grandchild }, { name: "own" });
  await settled();
  expect(names()).toEqual(["own"]);
  expect(followed()).toEqual([context, child, grandchild]);
  pages.clear();
  look();
  await settled();
  expect(names().toSorted()).toEqual(["grand", "kid", "own"]);
});

test("the tools of the window above, and of its other frames, are not a frame's to offer", async () => {
  const top = fakeWindow({ path: "/top" });
  const { context, own, names } = await fakeJoin({ parent: top });
  context.change(
    { name: "top", window: top },
    { name: "sibling", window: fakeWindow({ parent: top, path: "/sibling" }) },
    { name: "below", window: fakeWindow({ parent: own, path: "/below" }) },
    { name: "own" },
  );
  await settled();
  expect(names()).toEqual(["own", "below"]);
});

test("of other origins' frames 64 tools join, and the number of the others is reported", async () => {
  const { context, own, names, errors } = await fakeJoin();
  const window = fakeWindow({ parent: own });
  context.change(...Array.from({ length: 100 }, (_, index) => ({ name: `tool-${index}`, window })), { name: "own" });
  await settled();
  expect(names()).toHaveLength(65);
  expect(names()).toContain("own");
  expect(errors).toEqual(["model context: 36 tools of other origins' frames do not join: 64 is the most."]);
});

test("origins that the browser does not accept are reported, and the page's own tools still join", async () => {
  const { names, errors } = await fakeJoin({
    tools: [{ name: "own" }],
    fromOrigins: ["http://b.example"],
    prepare({ context }) {
      const { getTools } = context;
      context.getTools = async (options?: unknown) => {
        if (options) throw new DOMException("Only secure origins are allowed.", "SecurityError");
        return getTools.call(context);
      };
    },
  });
  expect(names()).toEqual(["own"]);
  expect(errors).toEqual(["model context: No tools of http://b.example join: Only secure origins are allowed."]);
});
