import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { startServer } from "../../mcp-client/mcp-server.test-helper.ts";
import { createToolbox, loadCalls, loadJsonSchemaValidator, pageToolboxes } from "../../toolbox/index.ts";
import type { ToolDefinition } from "../../toolbox/index.ts";
import type { AiCore, AiRequestOptions } from "../index.ts";
import { unregisterTool } from "../index.ts";
import { createConversation } from "../model.test-helper.ts";
import { call, resultsOf } from "../tools.test-helper.ts";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const folder = join(repository, ".cache", `tools-guide-${process.pid}`);
const guide = await readFile(join(repository, "docs/guide/tools.md"), "utf8");
const samples = Array.from(guide.matchAll(/^```js\n(.*?)^```/gms), ([, code = ""]) => code);

beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => {
  vi.unstubAllGlobals();
  pageToolboxes.clear();
});

/** Runs the sample with this text, with its missing parts as globals; returns the globals that it set, and its core. */
async function run(words: string, missing: object, addresses: Readonly<Record<string, string>> = {}) {
  const sample = samples.find((code) => code.includes(words)) ?? "";
  const chat: Partial<AiRequestOptions> = {};
  for (const [name, value] of Object.entries({ chat, ...missing })) vi.stubGlobal(name, value);
  let code = sample.replace(/^import .* from "pagewire\/page";$/m, "");
  code = code.replaceAll('"pagewire/ai"', JSON.stringify(fileURLToPath(new URL("../index.ts", import.meta.url))));
  for (const [there, here] of Object.entries(addresses)) code = code.replaceAll(there, here);
  const file = join(folder, `${words.replaceAll(/\W+/g, "-")}.mjs`);
  const exports = /^const core\b/m.test(code) ? "export { core };" : "";
  await writeFile(file, `${code}\n${exports}`);
  const module = (await import(/* @vite-ignore */ file)) as { readonly core?: AiCore };
  return { chat, core: module.core };
}

test("the guide's handler runs, and what does not match its parameters never reaches it", async () => {
  const { chat } = await run('name: "find_tea"', {});
  const fetch = vi.fn<() => Promise<Response>>(async () => Response.json([{ id: 1, price: 7 }]));
  vi.stubGlobal("fetch", fetch);
  const { results } = await resultsOf(chat, ["find_tea", { word: "green & mild" }], ["find_tea", { words: 1 }]);
  expect(results).toEqual(['[{"id":1,"price":7}]', expect.stringContaining("words")]);
  expect(fetch.mock.calls).toEqual([["/teas?word=green%20%26%20mild", { signal: expect.any(AbortSignal) as object }]]);
});

test("the guide's page lends the model its tools", async () => {
  const connectPage = ({ tools }: { readonly tools: readonly ToolDefinition[] }) => {
    const toolbox = createToolbox({ loadCalls, loadValidator: loadJsonSchemaValidator });
    for (const tool of tools) toolbox.registerTool(tool);
    pageToolboxes.add(toolbox);
  };
  const annotations = { readOnlyHint: true };
  const tool = (name: string) => ({ name, annotations, execute: () => `${name} ran` });
  const missing = { connectPage, findTea: tool("find_tea"), addToBasket: tool("add_to_basket") };
  const { chat } = await run("connectPage", missing);
  const { results } = await resultsOf(chat, ["find_tea", {}], ["add_to_basket", {}]);
  expect(results).toEqual(["find_tea ran", "add_to_basket ran"]);
});

test("the guide's servers lend the model the tools that were asked for", async () => {
  const [docs, shop] = await Promise.all(
    [["search"], ["find", "order", "close_shop"]].map((names) =>
      startServer({
        register(mcp) {
          for (const name of names) {
            const given = { inputSchema: z.object({}), annotations: { readOnlyHint: true } };
            mcp.registerTool(name, given, () => ({ content: [{ type: "text", text: name }] }));
          }
        },
      }),
    ),
  );
  const addresses = { "https://docs.example.com/mcp": docs?.url ?? "", "https://shop.example/mcp": shop?.url ?? "" };
  const { chat } = await run("chat.mcp", { token: "secret" }, addresses);
  const { model, send } = createConversation(chat);
  const answer = send("Hi");
  const first = await model.next();
  expect(first.body.tools?.map(({ name }) => name)).toEqual(["127_0_0_1_search", "shop_find", "shop_order"]);
  call(first, ["127_0_0_1_search", {}], ["shop_order", {}]);
  const second = await model.next();
  expect(second.body.messages.slice(-2).map(({ content }) => content)).toEqual(["search", "order"]);
  second.finish({ delta: "Done." });
  await answer;
  const sent = [docs, shop].map((server) => server?.of("tools/call")[0]?.headers["authorization"]);
  expect(sent).toEqual([undefined, "Bearer secret"]);
});

test("the guide asks for much, and not for little", async () => {
  const order = { name: "order", description: "Orders.", parameters: { type: "object" }, handler: () => "ordered" };
  const confirm = vi.fn<() => boolean>(() => false);
  const { chat } = await run("needsApproval", { order, confirm });
  const { results } = await resultsOf(chat, ["order", { grams: 100 }], ["order", { grams: 900 }]);
  expect(results).toEqual(["ordered", expect.stringContaining("did not allow")]);
  expect(confirm.mock.calls).toEqual([['Run order with {"grams":900}?']]);
});

test("the guide's registries lend handlers to what a request declares, and to nothing else", async () => {
  const orderFor = (user: string) => () => `ordered for ${user}`;
  const { core } = await run("registerTool(", { findTea: () => "tea", orderFor, user: "Ada" });
  expect(core?.getRegisteredTool("order")?.({}, {} as never)).toBe("ordered for Ada");
  const tool = (name: string) => ({ name, description: name, parameters: { type: "object" } });
  const { results } = await resultsOf({ tools: [tool("find_tea")] }, ["find_tea", {}], ["order", {}]);
  expect(results).toEqual(["tea", expect.stringContaining("not defined")]);
  unregisterTool("find_tea");
});
