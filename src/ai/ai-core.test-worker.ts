// Run in a worker by ai-core.browser.test.ts: a core where there is no document.
import { AiCore } from "./index.ts";

const core = new AiCore();
core.provider = "openai";
const answer = '{"choices":[{"message":{"content":"Hello from a worker."},"finish_reason":"stop"}]}';
const text = await core.send("Hi", { model: "m", stream: false, fetch: () => Promise.resolve(new Response(answer)) });
self.postMessage({ text, error: core.error, document: typeof document });
