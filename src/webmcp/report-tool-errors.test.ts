import { expect, onTestFinished, test, vi } from "vitest";
import { reportToolErrors } from "./report-tool-errors.ts";

test.each<readonly [string, unknown]>([
  ["on a server", undefined],
  ["without a model context", {}],
  ["with one that registers nothing", { modelContext: {} }],
  ["with one that is none", { modelContext: "mine" }],
])("%s nothing happens", (_, page) => {
  vi.stubGlobal("document", page);
  onTestFinished(() => void vi.unstubAllGlobals());
  const before = structuredClone(page);
  const stop = reportToolErrors();
  stop();
  stop();
  expect(page).toEqual(before);
});

test("a model context that is frozen stays as it is", () => {
  const registerTool = () => "registered";
  vi.stubGlobal("document", { modelContext: Object.freeze({ registerTool }) });
  onTestFinished(() => void vi.unstubAllGlobals());
  reportToolErrors()();
  expect(document).toHaveProperty("modelContext.registerTool", registerTool);
});

interface Registered {
  execute(input?: object, options?: { readonly signal: AbortSignal }): Promise<unknown>;
  readonly outputSchema?: object;
}

/** Registers a tool in a page whose model context keeps a copy of it; returns the copy. */
async function registered(tool: Registered): Promise<Registered | undefined> {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const tools: Registered[] = [];
  const modelContext = { registerTool: (given: Registered) => void tools.push({ ...given }) };
  vi.stubGlobal("document", { modelContext });
  const stop = reportToolErrors();
  onTestFinished(() => {
    stop();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });
  modelContext.registerTool(tool);
  return tools[0];
}

test("a script that registers copies of tools gets the one that reports", async () => {
  const outputSchema = { type: "object" };
  const tool = await registered({ execute: () => Promise.reject(new Error("empty")), outputSchema });
  expect(tool?.outputSchema).toEqual(outputSchema);
  expect(await tool?.execute()).toEqual({ isError: true, content: [{ type: "text", text: "empty" }] });
});

test("a tool whose caller gave up rejects with its own reason, and one that gave up by itself returns an error", async () => {
  const own = new DOMException("Too slow.", "AbortError");
  const tool = await registered({ execute: () => Promise.reject(own) });
  await expect(tool?.execute({}, { signal: AbortSignal.abort() })).rejects.toBe(own);
  const { signal } = new AbortController();
  expect(await tool?.execute({}, { signal })).toMatchObject({ isError: true, content: [{ text: "Too slow." }] });
});
