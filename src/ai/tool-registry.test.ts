import { afterEach, expect, test, vi } from "vitest";
import { AiCore, clearToolRegistry, getRegisteredTool, registerTool, unregisterTool } from "./index.ts";
import type { AiTool } from "./index.ts";
import { createConversation } from "./model.test-helper.ts";

afterEach(() => clearToolRegistry());

test("handlers are registered by name, for the process and for one core", () => {
  const core = new AiCore();
  const handler = () => 1;
  for (const registry of [{ registerTool, unregisterTool, getRegisteredTool }, core]) {
    registry.registerTool("look", handler);
    expect(registry.getRegisteredTool("look")).toBe(handler);
    expect(registry.unregisterTool("look")).toBe(true);
    expect(registry.unregisterTool("look")).toBe(false);
    expect(registry.getRegisteredTool("look")).toBeUndefined();
  }
  core.registerTool("look", handler);
  expect(getRegisteredTool("look")).toBeUndefined();
  expect(new AiCore().getRegisteredTool("look")).toBeUndefined();
  registerTool("look", handler);
  clearToolRegistry();
  expect(getRegisteredTool("look")).toBeUndefined();
});

test.each<[unknown, unknown]>([
  ["look", undefined],
  [7, () => 1],
])("%j with %s is not registered", (name, handler) => {
  expect(() => registerTool(name as string, handler as () => number)).toThrow("registerTool.");
});

const look: AiTool = { name: "look", description: "", parameters: { type: "object" } };

/** The result that the model receives when it calls `look`. */
async function lookWith(tools: readonly AiTool[], prepare: (core: AiCore) => void = () => {}): Promise<unknown> {
  const { core, model, send } = createConversation({ tools });
  prepare(core);
  const answer = send("Hi");
  (await model.next()).finish({ toolCallDeltas: [{ index: 0, id: "c", name: "look" }] });
  const request = await model.next();
  request.finish({ delta: "Done." });
  await answer;
  return request.body.messages.at(-1)?.content;
}

test("a tool's own handler comes before the core's, and the core's before the process's", async () => {
  const missing =
    '{"error":"The tool \\"look\\" has no handler: declare it with one, or give it one by registerTool."}';
  expect(await lookWith([look])).toBe(missing);
  registerTool("look", () => "process");
  expect(await lookWith([look])).toBe("process");
  const register = (core: AiCore) => core.registerTool("look", () => "core");
  expect(await lookWith([look], register)).toBe("core");
  expect(await lookWith([{ ...look, handler: () => "own" }], register)).toBe("own");
});

test("a registered handler is not reached where the send did not declare its tool", async () => {
  const handler = vi.fn<() => void>();
  registerTool("look", handler);
  const told = await lookWith([{ ...look, name: "other" }], (core) => core.registerTool("look", handler));
  expect(told).toBe('{"error":"The tool \\"look\\" is not defined on this send() invocation."}');
  expect(handler).not.toHaveBeenCalled();
});

test("in development a handler that takes another's place is warned of, once for each other one", () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const handler = () => 1;
  registerTool("look", handler);
  registerTool("look", handler);
  expect(warn).not.toHaveBeenCalled();
  registerTool("look", () => 2);
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('"look"'));
  vi.stubEnv("DEV", false);
  vi.stubEnv("NODE_ENV", "production");
  registerTool("look", () => 3);
  expect(warn).toHaveBeenCalledOnce();
  vi.unstubAllEnvs();
  warn.mockRestore();
});
