import { expect, test } from "vitest";
import { PagewireError } from "../../wire/index.ts";
import { markOwnTool } from "../own-tools.ts";
import { FakeModelContext, fakeJoin, settled } from "./fake-model-context.test-helper.ts";

test("a tool of the page's scripts joins with its own fields, and is marked as the browser's", async () => {
  const inputSchema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
  const annotations = { readOnlyHint: true, untrustedContentHint: true, consequentialHint: false, debugging: false };
  const { tools } = await fakeJoin({
    tools: [
      { name: "find", title: "Find", description: "Finds", inputSchema, annotations },
      { name: "bare", title: "", description: "", inputSchema: undefined },
    ],
  });
  expect(tools()).toEqual([
    {
      name: "find",
      title: "Find",
      description: "Finds",
      inputSchema,
      annotations: { readOnlyHint: true, untrustedContentHint: true, openWorldHint: true },
      _meta: { "pagewire/source": "browser" },
    },
    { name: "bare", inputSchema: { type: "object", properties: {} }, _meta: { "pagewire/source": "browser" } },
  ]);
});

test("a schema that is given as text, as browsers did at first, is read", async () => {
  const schema = { type: "object", properties: { a: { type: "number" } } };
  const { tools } = await fakeJoin({ tools: [{ name: "old", inputSchema: JSON.stringify(schema) }] });
  expect(tools()).toMatchObject([{ name: "old", inputSchema: schema }]);
});

test("new tools join, removed ones leave, changed ones are replaced, and no change is reported for the rest", async () => {
  const stays = { name: "stays" };
  const { context, changes, names } = await fakeJoin({ tools: [stays, { name: "goes" }, { name: "changes" }] });
  expect(names()).toEqual(["stays", "goes", "changes"]);
  changes.length = 0;
  context.change(stays, { name: "changes", description: "other" }, { name: "comes" });
  await settled();
  expect(changes).toMatchObject([
    { add: { tools: [{ name: "changes" }, { name: "comes" }] }, remove: { tools: ["goes"] } },
  ]);
  changes.length = 0;
  context.change(...context.tools);
  await settled();
  expect(changes).toEqual([]);
});

test("an unchanged tool that was registered again runs the new handler", async () => {
  const { context, call } = await fakeJoin({ tools: [{ name: "say", execute: () => "old" }] });
  context.change({ name: "say", execute: () => "new" });
  await settled();
  expect(await call("say")).toMatchObject({ payload: expect.stringContaining("new") });
});

test("many changes at once are one reading more, and a change during a reading is read again", async () => {
  const { context, names } = await fakeJoin();
  const before = context.asked.length;
  let open = () => {};
  context.gate = new Promise<void>((resolve) => (open = resolve));
  for (let count = 0; count < 200; count++) context.change({ name: `tool-${count}` });
  await settled();
  expect(context.asked.length - before).toBe(1);
  context.change({ name: "last" });
  open();
  await settled();
  expect(names()).toEqual(["last"]);
  expect(context.asked.length - before).toBe(2);
});

test("nothing is read if only the toolbox changes, even if a tool's description is new each time", async () => {
  let count = 0;
  const counting = {
    name: "clock",
    get description() {
      return `Asked ${++count} times`;
    },
  };
  const { context, toolbox, names, tools } = await fakeJoin({ tools: [counting] });
  toolbox.registerTool({ name: "own", execute: () => "" });
  await settled();
  expect(names()).toEqual(["clock", "own"]);
  expect(tools()[0]).toMatchObject({ description: "Asked 1 times" });
  expect(context.asked).toHaveLength(1);
});

test("what the page's toolbox has itself is never taken over, and the browser's joins when the page takes it away", async () => {
  let own = { remove() {} };
  const { toolbox, call, tools, changes } = await fakeJoin({
    tools: [{ name: "search", execute: () => "the browser's" }],
    prepare({ toolbox: page }) {
      own = page.registerTool({ name: "search", execute: () => "the page's" });
    },
  });
  expect(await call("search")).toMatchObject({ payload: expect.stringContaining("the page's") });
  own.remove();
  await settled();
  expect(await call("search")).toMatchObject({ payload: expect.stringContaining("the browser's") });
  // The page takes its name back, and keeps it.
  const again = toolbox.registerTool({ name: "search", execute: () => "the page's again" });
  await settled();
  changes.length = 0;
  await settled();
  expect(await call("search")).toMatchObject({ payload: expect.stringContaining("the page's again") });
  expect(tools()).toHaveLength(1);
  expect(changes).toEqual([]);
  again.remove();
  await settled();
  expect(await call("search")).toMatchObject({ payload: expect.stringContaining("the browser's") });
});

test("what Pagewire registered in the browser itself never joins, also while it is being registered and taken away", async () => {
  const mark = markOwnTool("mirrored");
  const { context, names, look, changes } = await fakeJoin({ tools: [{ name: "mirrored" }, { name: "stock" }] });
  expect(names()).toEqual(["stock"]);
  mark.taken();
  look();
  await settled();
  expect(names()).toEqual(["stock"]);
  // The browser was queried before the mark was removed, and answers afterwards.
  let open = () => {};
  context.gate = new Promise<void>((resolve) => (open = resolve));
  look();
  await settled();
  mark.remove();
  open();
  await settled();
  context.change({ name: "stock" });
  await settled();
  expect(changes.flatMap((change) => JSON.stringify(change)).join()).not.toContain("mirrored");
});

test("until the browser accepts or refuses Pagewire's tool, the joined tool of that name remains", async () => {
  const { names, look, changes } = await fakeJoin({ tools: [{ name: "search" }] });
  changes.length = 0;
  const mark = markOwnTool("search");
  look();
  await settled();
  expect(names()).toEqual(["search"]);
  // The page's script already uses the name.
  mark.remove();
  look();
  await settled();
  expect(names()).toEqual(["search"]);
  expect(changes).toEqual([]);
});

test("tools that the toolbox refuses are reported once, by name, and the others join", async () => {
  const circular: Record<string, unknown> = { type: "object" };
  circular["properties"] = { self: circular };
  const { context, names, errors, look } = await fakeJoin({
    tools: [
      { name: "has space" },
      { name: "x".repeat(129) },
      { name: "list", inputSchema: ["no schema"] },
      { name: "text", inputSchema: "no schema" },
      { name: "huge", inputSchema: { type: "object", description: "x".repeat(1024 * 1024) } },
      { name: "circular", inputSchema: circular },
      { name: undefined },
      { name: "good" },
    ],
  });
  expect(names()).toEqual(["good"]);
  expect(errors).toEqual([
    "model context: 1 of the browser's tools do not join: they have no name.",
    expect.stringMatching(/"circular" does not join this page's tools: .*circular/s),
    expect.stringMatching(/"has space" does not join this page's tools: .*letters, digits/),
    expect.stringMatching(/"x{128}" does not join this page's tools: .*letters, digits/),
    expect.stringMatching(/"list" does not join this page's tools: .*not a JSON Schema/),
    expect.stringMatching(/"text" does not join this page's tools: .*not a JSON Schema/),
    expect.stringMatching(/"huge" does not join this page's tools: .*schemaBytes/),
  ]);
  look();
  context.change(...context.tools, { name: "later" });
  await settled();
  expect(names()).toEqual(["good", "later"]);
  expect(errors).toHaveLength(7);
});

const many = Array.from({ length: 300 }, (_, index) => ({ name: `tool-${index}` }));

test("a full toolbox reports that once, and takes the others when there is room", async () => {
  const { context, names, errors, look } = await fakeJoin({ tools: many });
  expect(names()).toHaveLength(192);
  look();
  await settled();
  // Waiting tools join when there is room.
  context.change(...many.slice(150));
  await settled();
  expect(names()).toEqual(many.slice(150).map(({ name }) => name));
  context.change(...many);
  await settled();
  expect(new Set(names())).toEqual(new Set(many.slice(0, 192).map(({ name }) => name)));
  expect(errors).toEqual([expect.stringMatching(/"tool-192" does not join.*offersPerPage/)]);
});

test("the page's own tools come first, and the last of the browser's give way to them", async () => {
  const { toolbox, names, errors } = await fakeJoin({ tools: many });
  const own: { remove(): void }[] = [];
  for (let burst = 0; burst < 4; burst++) {
    for (let count = 0; count < 16; count++) {
      own.push(toolbox.registerTool({ name: `own-${own.length}`, execute: () => "" }));
    }
    await settled();
  }
  toolbox.registerResource({ uri: "own://one", name: "one", read: () => "" });
  await settled();
  const browsers = () => names().filter((name) => name.startsWith("tool-"));
  // Three quarters of the room that 65 of 256 leave.
  expect(browsers()).toEqual(many.slice(0, 143).map(({ name }) => name));
  expect(names()).toHaveLength(64 + 143);
  for (const { remove } of own) remove();
  await settled();
  expect(browsers()).toHaveLength(191);
  expect(errors).toHaveLength(1);
});

test("a page that needs all the room has it", async () => {
  const { toolbox, names } = await fakeJoin({ tools: many.slice(0, 20) });
  for (let count = 0; count < 256; count++) {
    toolbox.registerTool({ name: `own-${count}`, execute: () => "" });
    await settled();
  }
  expect(names()).toHaveLength(256);
  expect(names().some((name) => name.startsWith("tool-"))).toBe(false);
});

test("what a script puts in the place of document.modelContext is read from then on, and the one before is let go", async () => {
  const join = await fakeJoin({ tools: [{ name: "old" }] });
  const { own, context, names, look, followed, errors } = join;
  const other = new FakeModelContext(own);
  other.tools = [{ name: "new" }];
  join.at = other;
  look();
  await settled();
  expect(names()).toEqual(["new"]);
  expect(followed()).toEqual([other]);
  const asked = context.asked.length;
  context.change({ name: "old" });
  await settled();
  expect(context.asked).toHaveLength(asked);

  // An unreadable tool is reported; one that has disappeared is not.
  join.at = { registerTool() {} };
  look();
  await settled();
  expect(names()).toEqual([]);
  expect(errors).toEqual([expect.stringContaining("it has no getTools")]);
  join.at = undefined;
  look();
  await settled();
  expect(errors).toHaveLength(1);
});

test("anything that a script's own context returns is read or reported, and breaks nothing", async () => {
  const join = await fakeJoin();
  const { names, look, errors } = join;
  const hostile = {
    get name(): string {
      throw new Error("not for you");
    },
  };
  for (const given of [null, "text", [null, 3, "text"], [hostile]]) {
    join.at = { getTools: () => given, executeTool() {} };
    look();
    await settled();
  }
  join.at = {
    getTools() {
      throw new PagewireError("internal-error", "at once");
    },
    executeTool() {},
  };
  look();
  await settled();
  join.at = {
    get getTools() {
      throw new Error("not even looked at");
    },
  };
  look();
  await settled();
  Object.defineProperty(join, "at", {
    get() {
      throw new Error("not there");
    },
  });
  look();
  look();
  await settled();
  expect(names()).toEqual([]);
  expect(errors).toEqual([
    expect.stringContaining("getTools gave no list"),
    expect.stringContaining("3 of the browser's tools do not join"),
    expect.stringContaining("not for you"),
    expect.stringContaining("at once"),
    expect.stringContaining("not even looked at"),
    expect.stringContaining("not there"),
  ]);
});

test("a browser that does not list tools is reported once, with advice", async () => {
  for (const [name, next] of [
    ["NotAllowedError", /Permissions-Policy: tools=\(self\).*allow="tools"/],
    ["SecurityError", /origin-keyed: its server must not send "Origin-Agent-Cluster: \?0"/],
  ] as const) {
    const { context, look, errors, names } = await fakeJoin({
      prepare(join) {
        join.context.gate = Promise.reject(new DOMException("No.", name));
        join.context.gate.catch(() => {});
      },
    });
    for (let count = 0; count < 50; count++) look();
    await settled();
    expect(errors).toEqual([expect.stringMatching(next)]);
    expect(names()).toEqual([]);
    // There is no further retry by itself.
    const asked = context.asked.length;
    await settled();
    expect(context.asked.length).toBe(asked);
  }
});

test("closing takes the browser's tools away and leaves the page's, and a reading that was on its way changes nothing", async () => {
  const { toolbox, context, names, look, stop, followed } = await fakeJoin({ tools: [{ name: "stock" }] });
  toolbox.registerTool({ name: "own", execute: () => "" });
  let open = () => {};
  context.gate = new Promise<void>((resolve) => (open = resolve));
  look();
  context.tools = [{ name: "late" }];
  stop();
  open();
  await settled();
  look();
  await settled();
  expect(names()).toEqual(["own"]);
  expect(followed()).toEqual([]);
});

test("the browser is asked for its tools only when it may be, also after a call that failed", async () => {
  let allow = () => {};
  const { context, names, call } = await fakeJoin({
    tools: [{ name: "fail", execute: () => Promise.reject(new Error("no")) }],
    prepare(join) {
      join.mayAsk = () => new Promise((resolve) => (allow = resolve));
    },
  });
  const asked = async () => {
    await settled();
    return context.asked.length;
  };
  expect(await asked()).toBe(0);
  allow();
  expect(await asked()).toBe(1);
  const calling = call("fail");
  expect(await asked()).toBe(1);
  allow();
  expect(await calling).toMatchObject({ isError: true });
  expect(await asked()).toBe(2);
  context.change({ name: "other" });
  expect(await asked()).toBe(2);
  allow();
  expect(await asked()).toBe(3);
  expect(names()).toEqual(["other"]);
});
