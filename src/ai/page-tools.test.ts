import { afterEach, expect, test } from "vitest";
import { createToolbox, loadCalls, loadJsonSchemaValidator, pageToolboxes } from "../toolbox/index.ts";
import { registerTool, clearToolRegistry } from "./index.ts";
import { createConversation, settled } from "./model.test-helper.ts";

afterEach(() => {
  pageToolboxes.clear();
  clearToolRegistry();
});

function openPage() {
  const page = createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator, onError() {} });
  pageToolboxes.add(page);
  page.registerTool({
    name: "total",
    description: "The total.",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
    execute: () => "42",
  });
}

test("the tools of the page are declared to the model, and run in the page, whatever is registered", async () => {
  openPage();
  registerTool("total", () => "registered");
  const { model, send } = createConversation({ tools: "page" });
  const answer = send("What is the total?");
  const first = await model.next();
  expect(first.body.tools).toMatchObject([{ name: "total", description: "The total." }]);
  first.finish({ toolCallDeltas: [{ index: 0, id: "c0", name: "total", argumentsDelta: "{}" }] });
  const second = await model.next();
  expect(second.body.messages.at(-1)).toMatchObject({ role: "tool", content: "42" });
  second.finish({ delta: "It is 42." });
  expect(await answer).toBe("It is 42.");
});

test("they stand beside tools that are declared", async () => {
  openPage();
  const own = { name: "own", description: "", parameters: { type: "object" } };
  const { model, send } = createConversation({ tools: [own, "page"] });
  const answer = send("Hi");
  const request = await model.next();
  expect(request.body.tools).toMatchObject([{ name: "own" }, { name: "total" }]);
  request.finish({ delta: "Hello." });
  await answer;
});

test("a source of tools that cannot be had is an error, and the turn is undone", async () => {
  const { core, model, send } = createConversation({ tools: "page" });
  expect(await send("Hi")).toBeNull();
  expect(core.error).toBeInstanceOf(Error);
  expect([core.messages, model.requests]).toEqual([[], []]);
});

test("a send that is stopped while its tools are gathered asks nothing", async () => {
  openPage();
  const { core, model, send } = createConversation({ tools: "page" });
  const answer = send("Hi");
  core.abort();
  expect(await answer).toBeNull();
  await settled();
  expect(model.requests).toEqual([]);
});
