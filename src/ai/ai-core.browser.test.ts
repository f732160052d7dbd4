import { expect, test, vi } from "vitest";
import { AiCore } from "./index.ts";
import type { IAiProvider } from "./index.ts";

const provider: IAiProvider = {
  buildRequest: () => ({ url: "https://model.test/", headers: {}, body: "{}" }),
  parseResponse: () => ({ content: "" }),
  parseStreamChunk: (_event, data) => (data === "[DONE]" ? { done: true } : { delta: data, done: false }),
};

function createStream() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
  const say = (text: string) => controller?.enqueue(new TextEncoder().encode(`data: ${text}\n\n`));
  const answering = () => Promise.resolve(new Response(body, { headers: { "Content-Type": "text/event-stream" } }));
  return { say, fetch: answering as typeof fetch };
}

function createCore() {
  const core = new AiCore();
  core.provider = provider;
  const next = () =>
    new Promise<string>((resolve) => {
      const heard = (event: Event) => resolve((event as CustomEvent<string>).detail);
      core.addEventListener("ai-agent:content-changed", heard, { once: true });
    });
  return { core, next };
}

test("in a page, text changes are reported once for each frame", async () => {
  const { core } = createCore();
  const { say, fetch } = createStream();
  const frames: (() => void)[] = [];
  const request = vi.spyOn(window, "requestAnimationFrame").mockImplementation((show) => frames.push(() => show(0)));
  const heard: unknown[] = [];
  core.addEventListener("ai-agent:content-changed", (event) => heard.push((event as CustomEvent).detail));
  const answer = core.send("Hi", { model: "m", fetch });
  say("a");
  say("b");
  await vi.waitUntil(() => frames.length === 1);
  expect(heard).toEqual([]);
  frames[0]?.();
  expect(heard).toEqual(["ab"]);
  say("[DONE]");
  expect(await answer).toBe("ab");
  expect(heard).toEqual(["ab"]);
  request.mockRestore();
});

test("a page without frames still receives the text", async () => {
  const { core, next } = createCore();
  const { say, fetch } = createStream();
  const request = vi.spyOn(window, "requestAnimationFrame").mockImplementation(() => 0);
  const answer = core.send("Hi", { model: "m", fetch });
  for (const [word, text] of [
    ["a", "a"],
    ["b", "ab"],
  ] as const) {
    const told = next();
    say(word);
    expect(await told).toBe(text);
  }
  say("[DONE]");
  expect(await answer).toBe("ab");
  request.mockRestore();
});

test("a core works in a worker, where there is no document", async () => {
  const worker = new Worker(new URL("ai-core.test-worker.ts", import.meta.url), { type: "module" });
  const message = await new Promise<MessageEvent>((resolve, reject) => {
    worker.addEventListener("message", resolve);
    worker.addEventListener("error", reject);
  });
  expect(message.data).toEqual({ text: "Hello from a worker.", error: null, document: "undefined" });
  worker.terminate();
});
