import { afterEach, expect, test, vi } from "vitest";
import { createConversation, plainProvider } from "../model.test-helper.ts";
import type { AiTool } from "../index.ts";

afterEach(() => vi.restoreAllMocks());

const oneOf = [
  { properties: { sku: { type: "string" } }, required: ["sku"] },
  { properties: { shelf: { type: "string", format: "uri" } }, required: ["shelf"] },
];

function conversation(files: "openai" | "google" | undefined, parameters: object) {
  const handler = vi.fn<() => string>(() => "found");
  const tools: AiTool[] = [{ name: "find", description: "Finds.", parameters, handler }];
  const begun = createConversation({ tools });
  begun.core.provider = { ...plainProvider, ...(files && { files }) };
  return { ...begun, handler };
}

test("a model gets a tool in its vendor's form, and the tool's own schema stays the judge of a call", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const { model, send, handler } = conversation("openai", { type: "object", oneOf });
  const answer = send();
  const first = await model.next();
  expect(first.body.tools).toMatchObject([
    {
      description: "Finds. Give exactly one of {sku} or {shelf}.",
      parameters: { type: "object", properties: { sku: { type: "string" }, shelf: {} } },
    },
  ]);
  const both = JSON.stringify({ sku: "A-1", shelf: "urn:a" });
  first.finish({ toolCallDeltas: [{ index: 0, id: "c0", name: "find", arguments: both }] });
  const second = await model.next();
  expect(second.body.messages.at(-1)?.content).toContain("do not match its parameters");
  expect(handler).not.toHaveBeenCalled();
  second.finish({ toolCallDeltas: [{ index: 0, id: "c1", name: "find", arguments: '{"sku":"A-1"}' }] });
  (await model.next()).finish({ delta: "Done." });
  expect(await answer).toBe("Done.");
  expect(handler).toHaveBeenCalledOnce();
  expect(warn.mock.calls).toEqual([
    [
      'The tool "find" is given to openai otherwise than declared (oneOf at the top: one object with the arguments of all, and words).',
    ],
  ]);
});

test("Gemini's own form is left as it is, and a schema that is in neither of its forms is fitted", async () => {
  vi.spyOn(console, "warn").mockReturnValue();
  const own = { type: "object", properties: { code: { type: "string", pattern: "^a", minLength: 1 } } };
  const others = { ...own, additionalProperties: false };
  for (const [given, sent] of [
    [own, own],
    [
      others,
      {
        type: "object",
        properties: { code: { type: "string", description: 'JSON Schema: {"pattern":"^a","minLength":1}' } },
        additionalProperties: false,
      },
    ],
  ] as const) {
    const { model, send } = conversation("google", given);
    const answer = send();
    const request = await model.next();
    expect(request.body.tools).toMatchObject([{ parameters: sent }]);
    request.finish({ delta: "Hm." });
    await answer;
  }
});

test("a schema that its developer changes between two questions is given as it is now", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const properties: Record<string, object> = { sku: {}, page: {} };
  const parameters = { type: "object", properties, anyOf: [{ required: ["sku"] }, { required: ["page"] }] };
  const { model, send } = conversation("openai", parameters);
  for (const names of [
    ["sku", "page"],
    ["sku", "page", "shelf"],
  ]) {
    if (names.includes("shelf")) properties["shelf"] = {};
    const answer = send();
    const request = await model.next();
    expect(Object.keys(request.body.tools?.[0]?.parameters["properties"] as object)).toEqual(names);
    request.finish({ delta: "Hm." });
    await answer;
  }
  expect(warn).toHaveBeenCalledOnce();
});

test("a provider of no vendor's form gets a tool as it is declared", async () => {
  const parameters = { type: "object", oneOf };
  const { model, send } = conversation(undefined, parameters);
  const answer = send();
  const request = await model.next();
  expect(request.body.tools).toMatchObject([{ description: "Finds.", parameters }]);
  request.finish({ delta: "Hm." });
  await answer;
});
