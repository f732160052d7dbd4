import { expect, test } from "vitest";
import { OpenAiProvider } from "./index.ts";
import type { AiRequestOptions } from "./index.ts";
import { createConversation } from "./model.test-helper.ts";

const tool = { name: "look", description: "Looks.", parameters: { type: "object" } };

const wrongOptions: readonly [Record<string, unknown>, string][] = [
  [{ temperature: NaN }, "temperature must be a finite number, got NaN."],
  [{ temperature: Infinity }, "temperature must be a finite number, got Infinity."],
  [{ temperature: "1" }, "temperature must be a finite number, got 1."],
  [{ topP: NaN }, "topP must be a finite number, got NaN."],
  [{ maxTokens: 0 }, "maxTokens must be a positive integer, got 0."],
  [{ maxTokens: -1 }, "maxTokens must be a positive integer, got -1."],
  [{ maxTokens: 1.5 }, "maxTokens must be a positive integer, got 1.5."],
  [{ maxTokens: NaN }, "maxTokens must be a positive integer, got NaN."],
  [{ maxToolRoundtrips: -1 }, "maxToolRoundtrips must be an integer of zero or more, got -1."],
  [{ maxToolRoundtrips: 0.5 }, "maxToolRoundtrips must be an integer of zero or more, got 0.5."],
  [{ seed: NaN }, "seed must be a finite number, got NaN."],
  [{ model: 7 }, "model must be a string, got 7."],
  [{ system: [] }, "system must be a string, got an array."],
  [{ apiKey: {} }, "apiKey must be a string, got an object."],
  [{ baseUrl: 1 }, "baseUrl must be a string, got 1."],
  [{ apiVersion: 1 }, "apiVersion must be a string, got 1."],
  [{ stream: "no" }, "stream must be a boolean, got no."],
  [{ stop: "end" }, "stop must be an array of strings, got end."],
  [{ responseSchema: null }, "responseSchema must be a plain object, got null."],
  [{ responseSchema: [] }, "responseSchema must be a plain object, got an array."],
  [{ responseSchema: "{}" }, "responseSchema must be a plain object, got {}."],
  [{ responseSchemaName: 1 }, "responseSchemaName must be a string, got 1."],
  [{ streamOptions: "maybe" }, "streamOptions must be one of auto, always, never, got maybe."],
  [{ onFailure: "panic" }, "onFailure must be one of rollback, keep, got panic."],
  [{ reasoning: "high" }, "reasoning must be a plain object, got high."],
  [{ headers: [] }, "headers must be a plain object, got an array."],
  [{ body: "x" }, "body must be a plain object, got x."],
  [{ fetch: "x" }, "fetch must be a function, got x."],
  [{ approve: true }, "approve must be a function, got true."],
  [{ signal: "x" }, "signal must be an AbortSignal, got x."],
  [{ signal: {} }, "signal must be an AbortSignal, got an object."],
  [{ toolTimeout: NaN }, "toolTimeout must be a number of zero or more, got NaN."],
  [{ toolTimeout: -1 }, "toolTimeout must be a number of zero or more, got -1."],
  [{ tools: [{ ...tool, timeout: NaN }] }, "tools[0].timeout must be a number of zero or more, got NaN."],
  [{ stop: [7] }, "stop must be an array of strings, got an array."],
  [{ reasoning: { effort: "most" } }, "reasoning.effort must be one of minimal, low, medium, high, got most."],
  [{ reasoning: { budgetTokens: NaN } }, "reasoning.budgetTokens must be an integer, got NaN."],
  [{ reasoning: { budgetTokens: 0.5 } }, "reasoning.budgetTokens must be an integer, got 0.5."],
  [{ tools: null, responseSchema: {} }, 'tools must be an array, or "page", got null.'],
  [{ mcp: "https://a" }, "mcp must be an array, got https://a."],
  [{ tools: {} }, 'tools must be an array, or "page", got an object.'],
  [{ tools: ["window"] }, "tools[0] must be a plain object, got window."],
  [{ tools: [tool, { ...tool, name: 7 }] }, "tools[1].name must be a string, got 7."],
  [{ tools: [{ ...tool, parameters: undefined }] }, "tools[0].parameters must be a plain object, got undefined."],
  [{ tools: [{ ...tool, handler: "x" }] }, "tools[0].handler must be a function, got x."],
  [{ tools: [tool], responseSchema: {} }, "responseSchema and tools exclude each other"],
  [{ tools: "page", responseSchema: {} }, "responseSchema and tools exclude each other"],
  [{ mcp: ["https://a"], responseSchema: {} }, "responseSchema and tools exclude each other"],
];

test.each(wrongOptions)("send throws for %j at once, and asks nothing", (wrong, message) => {
  const { core, model, options } = createConversation();
  expect(() => core.send("Hi", { ...options, ...wrong } as AiRequestOptions)).toThrow(message);
  expect([core.messages, core.loading, core.error, model.requests]).toEqual([[], false, null, []]);
});

test.each(wrongOptions)("a provider that is asked directly refuses %j, too", (wrong, message) => {
  const options = { model: "m", ...wrong } as AiRequestOptions;
  expect(() => new OpenAiProvider().buildRequest([{ role: "user", content: "Hi" }], options)).toThrow(message);
});

test("send without options throws", () => {
  const { core } = createConversation();
  expect(() => Reflect.apply(core.send, core, ["Hi"])).toThrow("options must be a plain object, got undefined.");
});

test.each<[Record<string, unknown>, string]>([
  [{ tools: [tool], toolChoice: "any" }, "toolChoice must be one of auto, none, required, got any."],
  [{ tools: [tool], toolChoice: null }, "toolChoice must be a plain object, got null."],
  [{ tools: [tool], toolChoice: {} }, "toolChoice.name must be a string, got undefined."],
  [{ tools: [tool], toolChoice: { name: "hear" } }, 'toolChoice names "hear", which is no tool of this request.'],
  [{ retries: -1 }, "retries must be an integer of zero or more, got -1."],
  [{ retries: "3" }, "retries must be a plain object, got 3."],
  [{ retries: {} }, "retries.attempts must be an integer of zero or more, got undefined."],
  [{ retries: { attempts: 1, delay: NaN } }, "retries.delay must be a number of zero or more, got NaN."],
  [{ retries: { attempts: 1, maxDelay: -1 } }, "retries.maxDelay must be a number of zero or more, got -1."],
  [{ mcp: [7] }, "mcp[0] must be a plain object, got 7."],
  [{ mcp: [{}] }, "mcp[0].url must be a string, got undefined."],
  [{ mcp: [{ url: "https://a.test", tools: "all" }] }, "mcp[0].tools must be an array of strings, got all."],
])("a send with %j ends with an Error that says so, and asks nothing", async (wrong, message) => {
  const { core, model, send } = createConversation();
  expect(await send("Hi", wrong)).toBeNull();
  expect(core.error).toHaveProperty("message", message);
  expect([core.messages, model.requests]).toEqual([[], []]);
});

test.each<[unknown, string]>([
  ["", "prompt must be"],
  [" \n", "prompt must be"],
  [undefined, "prompt must be"],
  [[], "prompt must be"],
  [{ type: "text", text: "a" }, "prompt must be"],
  [[{ type: "text" }], "prompt[0].text must be a string, got undefined."],
  [[{ type: "text", text: "a" }, { type: "image" }], "prompt[1].url must be an http(s): or data: URL, got undefined."],
  [[{ type: "image", url: "cat.png" }], "prompt[0].url must be an http(s): or data: URL, got cat.png."],
  [[{ type: "image", url: "https://a", detail: 7 }], "prompt[0].detail must be a string, got 7."],
  [[{ type: "image", url: "https://a", mediaType: 1 }], "prompt[0].mediaType must be a string, got 1."],
])("send throws for the prompt %j at once", (prompt, message) => {
  const { core, options } = createConversation();
  expect(() => core.send(prompt as string, options)).toThrow(message);
  expect(core.messages).toEqual([]);
});

test("a prompt may be parts, which reach the provider as they are", async () => {
  const { core, model, options } = createConversation();
  const parts = [
    { type: "text" as const, text: "What is it?" },
    { type: "image" as const, url: "HTTPS://a.test/cat.png", detail: "low" as const },
    { type: "image" as const, url: "data:image/png;base64,AA==", mediaType: "image/webp" },
  ];
  const answer = core.send(parts, options);
  const request = await model.next();
  expect(request.body.messages).toMatchObject([{ role: "user", content: parts }]);
  request.finish({ delta: "A cat." });
  expect(await answer).toBe("A cat.");
});

test("a speaker that is no text throws at once, in options and in messages", () => {
  const { core, model, options } = createConversation();
  expect(() => core.send("Hi", { ...options, from: 7 as never })).toThrow("from must be a string, got 7.");
  const messages = [{ role: "user", content: "Hi", from: {} as never }] as const;
  expect(() => (core.messages = [...messages])).toThrow("messages[0].from must be a string, got an object.");
  expect(model.requests).toEqual([]);
});

test.each([
  [{ title: 7 }, "tools[0].title must be a string, got 7."],
  [{ origin: {} }, "tools[0].origin must be a string, got an object."],
  [
    { needsApproval: "each_call" },
    'tools[0].needsApproval must be a boolean, "each-call" or a function, got each_call.',
  ],
  [{ needsApproval: null }, 'tools[0].needsApproval must be a boolean, "each-call" or a function, got null.'],
])("a tool with %j ends the send with an error that names it", async (wrong, message) => {
  const { core, model, send } = createConversation({ tools: [{ ...tool, ...wrong } as never] });
  expect(await send("Hi")).toBeNull();
  expect(core.error).toMatchObject({ message });
  expect([core.messages, model.requests]).toEqual([[], []]);
});
