import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { AiCore } from "./index.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(repository, ".cache", `guide-${process.pid}`);
const guide = await readFile(join(repository, "docs/guide/your-own-provider.md"), "utf8");
const samples = Array.from(guide.matchAll(/^```ts\n(.*?)^```/gms), ([, code = ""]) => code);

beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the first sample up to its send, and then others; returns its core. */
async function coreOf(...numbers: readonly number[]): Promise<AiCore> {
  const [first = ""] = samples;
  const code = [first.slice(0, first.indexOf("await core.send")), ...numbers.map((number) => samples[number])].join(
    "\n",
  );
  const ours = code.replaceAll('"pagewire/ai"', JSON.stringify(fileURLToPath(new URL("index.ts", import.meta.url))));
  const file = join(folder, `samples-${numbers.join("-")}.mjs`);
  await writeFile(file, `${ours}\nexport { core };`);
  const module = (await import(/* @vite-ignore */ file)) as { core: AiCore };
  return module.core;
}

function answering(body: string, type: string) {
  return vi.fn<typeof fetch>(() => Promise.resolve(new Response(body, { headers: { "content-type": type } })));
}

const options = { model: "small", baseUrl: "https://generator.example" };

test("the guide's provider streams, answers whole, and says what went wrong", async () => {
  const core = await coreOf();
  const streamed = answering(
    'data: {"token":"Once"}\n\ndata: {"token":" more"}\n\ndata: [DONE]\n\n',
    "text/event-stream",
  );
  expect(await core.send("Tell me a story.", { ...options, system: "Be brief.", apiKey: "k", fetch: streamed })).toBe(
    "Once more",
  );
  expect(streamed).toHaveBeenCalledWith(
    "https://generator.example/v1/generate",
    expect.objectContaining({
      headers: { "Content-Type": "application/json", Authorization: "Bearer k" },
      body: JSON.stringify({
        model: "small",
        system: "Be brief.",
        stream: true,
        turns: [{ role: "user", text: "Tell me a story." }],
      }),
    }),
  );
  expect(await core.send("And?", { ...options, fetch: answering('{"text":"The end."}', "application/json") })).toBe(
    "The end.",
  );
  const failures: readonly (readonly [body: string, type: string, message: string])[] = [
    ['{"no":1}', "application/json", "The generator gave no answer"],
    ['data: {"failed":"no power"}\n\n', "text/event-stream", "The generator failed: no power"],
    ['data: {"token":"Once"}\n\n', "text/event-stream", "cut off"],
    ["data: {\n\n", "text/event-stream", "JSON"],
  ];
  for (const [body, type, message] of failures) {
    expect(await core.send("Again?", { ...options, fetch: answering(body, type) })).toBeNull();
    expect(core.error).toHaveProperty("message", expect.stringContaining(message));
  }
});

test("the guide's reader tells thoughts from text", async () => {
  const core = await coreOf(1);
  const body =
    "event: section\ndata: thoughts\n\nevent: token\ndata: Hm.\n\nevent: section\ndata: text\n\nevent: token\ndata: Yes.\n\nevent: end\ndata:\n\n";
  expect(await core.send("Well?", { ...options, fetch: answering(body, "text/event-stream") })).toBe("Yes.");
  expect(core.reasoning).toBe("Hm.");
});

test("the guide's gateway is asked at its own address", async () => {
  const core = await coreOf(2);
  const fetch = answering('data: {"choices":[{"delta":{"content":"Hi."}}]}\n\ndata: [DONE]\n\n', "text/event-stream");
  expect(await core.send("Hello", { model: "gpt-4o", fetch })).toBe("Hi.");
  expect(fetch.mock.calls[0]?.[0]).toBe("https://gateway.example/openai/v1/chat/completions?team=shop");
});
