import { expect, test } from "vitest";
import { pageToolboxes } from "../../../toolbox/index.ts";
import { PagewireError } from "../../../wire/index.ts";
import { call, makePage, resultOf } from "../actions.test-helper.ts";
import { registerAction } from "./register-action.ts";

test("an action is a tool of the page, by its name and with what its author says of it", () => {
  const { toolbox } = makePage();
  const inputSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  registerAction("weather", () => "Rain.", {
    title: "Weather",
    description: "Tells the weather.",
    inputSchema,
    annotations: { readOnlyHint: true },
    toolbox,
  });
  registerAction("bare", () => undefined, { toolbox });
  expect(toolbox.offer().tools).toEqual([
    {
      name: "weather",
      title: "Weather",
      description: "Tells the weather.",
      inputSchema,
      annotations: { readOnlyHint: true },
    },
    { name: "bare", inputSchema: { type: "object" } },
  ]);
});

test("its handler is given the input, the caller and the call; a value and a promise of one are its result", async () => {
  const page = makePage();
  registerAction("greet", ({ name }, { agent, callId, hub }) => ({ name, agent, callId, hub }), {
    toolbox: { ...page, registerTool: page.toolbox.registerTool },
  });
  registerAction("later", async () => "done", page);
  const { structuredContent } = await resultOf(call(page, "greet", { name: "Ada" }));
  expect(structuredContent).toEqual({ name: "Ada", agent: { name: "a test" }, callId: "call-1", hub: page.hub });
  expect(await resultOf(call(page, "later"))).toEqual({ content: [{ type: "text", text: "done" }] });
});

test("progress reaches the caller while the action runs", async () => {
  const page = makePage();
  registerAction("work", (_input, { progress }) => progress(1, 2, "half"), page);
  const made = call(page, "work");
  await resultOf(made);
  expect(made.heard).toEqual([["progress", 1, 2, "half"]]);
});

test("an action says how long a terminal's call may take and whether it is for terminals only", () => {
  const { toolbox } = makePage();
  registerAction("ask", () => "", { callTime: 900_000, agents: "terminal", toolbox });
  registerAction("show", () => "", { agents: "all", toolbox });
  expect(toolbox.offer().tools.map(({ _meta }) => _meta)).toEqual([
    { "pagewire/callTime": 900_000, "pagewire/audience": "terminal" },
    undefined,
  ]);
});

test("without a toolbox an action goes to the page that was connected last, and without a page nowhere", () => {
  const [first, last] = [makePage(), makePage()];
  pageToolboxes.add(first.toolbox).add(last.toolbox);
  const registration = registerAction("hello", () => "Hello.");
  expect([first, last].map(({ toolbox }) => toolbox.list().length)).toEqual([0, 1]);
  registration.remove();
  expect(last.toolbox.list()).toEqual([]);
  pageToolboxes.clear();
  expect(() => registerAction("hello", () => "Hello.")).toThrow(
    new PagewireError(
      "options-invalid",
      'There is no page to register the action "hello" in. Connect one first with connectPage(), or pass it as the option "toolbox".',
    ),
  );
});

test("an action goes when it is removed or its signal aborts, and a name registered again is the newest", async () => {
  const page = makePage();
  const aborter = new AbortController();
  const replaced = registerAction("one", () => "old", page);
  registerAction("one", () => "new", page);
  replaced.remove();
  expect(await resultOf(call(page, "one"))).toMatchObject({ content: [{ text: "new" }] });
  registerAction("two", () => "", { ...page, signal: aborter.signal });
  aborter.abort();
  expect(page.toolbox.list().map(({ name }) => name)).toEqual(["one"]);
});
