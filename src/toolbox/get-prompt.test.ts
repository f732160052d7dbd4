import { expect, test, vi } from "vitest";
import { environment, makeToolbox, resultOf } from "./call.test-helper.ts";
import type { PromptAnswer, PromptDefinition } from "./definitions.ts";

const weekly = { name: "weekly", arguments: [{ name: "week", required: true }, { name: "tone" }] };

test("a prompt is given its arguments; text and messages become an MCP result", async () => {
  const toolbox = makeToolbox();
  const message = { role: "assistant", content: { type: "text", text: "Yes?" } } as const;
  const answers: [PromptAnswer, object][] = [
    ["Sum up.", { messages: [{ role: "user", content: { type: "text", text: "Sum up." } }] }],
    [[message], { messages: [message] }],
    [
      { description: "d", messages: [message] },
      { description: "d", messages: [message] },
    ],
  ];
  for (const [answer, result] of answers) {
    const get = vi.fn<PromptDefinition["get"]>(async () => answer);
    toolbox.registerPrompt({ ...weekly, get });
    expect(resultOf(await toolbox.getPrompt("weekly", { week: "7" }, environment()))).toEqual(result);
    expect(get).toHaveBeenCalledExactlyOnceWith({ week: "7" }, expect.objectContaining({ callId: "call-1" }));
  }
});

test("a prompt without arguments needs none", async () => {
  const toolbox = makeToolbox();
  toolbox.registerPrompt({ name: "hello", get: (input) => JSON.stringify(input) });
  expect(resultOf(await toolbox.getPrompt("hello", undefined, environment()))).toMatchObject({
    messages: [{ content: { text: "{}" } }],
  });
});

test("required arguments must be there and all must be text, or the prompt is refused naming each", async () => {
  const toolbox = makeToolbox();
  const get = vi.fn<PromptDefinition["get"]>(() => "");
  toolbox.registerPrompt({ ...weekly, get });
  expect(await toolbox.getPrompt("weekly", { tone: 5, other: null }, environment())).toEqual({
    kind: "refused",
    code: "input-invalid",
    message:
      'The prompt "weekly" refused its arguments: /week is required; /tone must be string; /other must be string.',
  });
  for (const input of [null, [], "x"]) {
    expect(await toolbox.getPrompt("weekly", input, environment())).toMatchObject({ code: "arguments-malformed" });
  }
  expect(await toolbox.getPrompt("nope", {}, environment())).toMatchObject({
    kind: "refused",
    code: "offer-not-found",
    message: expect.stringContaining('"nope"') as string,
  });
  expect(get).not.toHaveBeenCalled();
});

test("a prompt that answers in no form of one is a failure and not a result", async () => {
  const toolbox = makeToolbox();
  for (const answer of [undefined, null, 5, {}, { messages: "x" }, ["hello"], { messages: [42] }]) {
    toolbox.registerPrompt({ name: "p", get: () => answer as unknown as string });
    expect(await toolbox.getPrompt("p", {}, environment())).toMatchObject({
      kind: "failed",
      code: "result-unsendable",
    });
  }
});

test("what is wrong with a prompt's messages is said with its path", async () => {
  const toolbox = makeToolbox();
  const text = { type: "text", text: "a" };
  const cases: [unknown, string][] = [
    [["hello"], "$.messages[0] is not an object."],
    [[{ role: "system", content: text }], "$.messages[0].role is neither user nor assistant."],
    [[{ role: "user", content: "a" }], "$.messages[0].content is not an object."],
    [[{ role: "user", content: { type: "text" } }], "$.messages[0].content.text is not a text."],
    [{ description: 5, messages: [] }, "$.description is not a text."],
  ];
  for (const [answer, reason] of cases) {
    toolbox.registerPrompt({ name: "p", get: () => answer as string });
    expect(await toolbox.getPrompt("p", {}, environment())).toEqual({
      kind: "failed",
      code: "result-unsendable",
      message: `The answer of prompt "p" cannot be sent: ${reason}`,
    });
  }
});
