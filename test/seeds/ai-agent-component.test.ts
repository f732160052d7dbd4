// Runs the ai-agent seed's samples for pages in Chromium, with stand-ins for the models.
import { readFileSync, readdirSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Tab } from "../e2e/support/tab.ts";
import { answered, openSamplePages, samples, send } from "./ai-agent-samples.ts";
import type { SamplePages, Surroundings } from "./ai-agent-samples.ts";

let pages: SamplePages;
const tabs: Tab[] = [];

beforeAll(async () => {
  pages = await openSamplePages();
});

afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close();
});

afterAll(() => pages.close());

/** Opens the page that runs a sample. */
async function run(heading: string, surroundings?: Surroundings): Promise<Tab> {
  const tab = await pages.run(heading, surroundings);
  tabs.push(tab);
  return tab;
}

/** The latest requests to a model. */
const heard = (count = 1) => pages.models.heard.slice(-count);
const last = () => heard()[0] ?? expect.fail("No model was asked.");

const agent = '<ai-agent id="chat" provider="openai" model="gpt-4o" base-url="/api/ai"></ai-agent>';

test("every sample that uses a public API is run here", () => {
  expect(samples.size).toBe(44);
  const here = new URL(".", import.meta.url);
  const tests = readdirSync(here).filter((name) => /^ai-agent-.*\.ts$/.test(name));
  const sources = tests.map((name) => readFileSync(new URL(name, here), "utf8")).join("\n");
  expect([...samples.keys()].filter((heading) => !sources.includes(`"${heading}"`) && heading !== "React")).toEqual([]);
});

describe("setting up", () => {
  test.each(["Setup: by itself", "Setup: by hand"])("%s", async (heading) => {
    const tab = await run(heading, { registers: true });
    expect(await tab.evaluate("['ai-agent', 'ai-message'].map((tag) => Boolean(customElements.get(tag)))")).toEqual([
      true,
      true,
    ]);
  });

  test("Configuration", async () => {
    const tab = await run("Configuration", {
      before: 'import { getConfig } from "@csbc-dev/ai-agent";',
      after: "} });\nwindow.config = getConfig();",
    });
    expect(await tab.evaluate("config")).toMatchObject({
      autoTrigger: true,
      triggerAttribute: "data-aitarget",
      tagNames: { ai: "ai-agent", aiMessage: "ai-message" },
      remote: { enableRemote: false },
    });
  });
});

describe("providers", () => {
  test("Backend proxy", async () => {
    const tab = await run("Backend proxy");
    await tab.evaluate(() => {
      const states: unknown[] = [];
      Object.assign(window, { states });
      document.addEventListener("ai-agent:streaming-changed", (event) => states.push((event as CustomEvent).detail));
    });
    expect(await send(tab, "Hello there")).toBe("You said: Hello there");
    expect(last()).toMatchObject({
      path: "/api/ai/v1/chat/completions",
      body: { model: "gpt-4o", stream: true, messages: [{ role: "user", content: "Hello there" }] },
    });
    expect(last().headers).not.toHaveProperty("authorization");
    expect(await tab.evaluate("states")).toEqual([true, false]);
    expect(await tab.evaluate("document.querySelector('ai-agent').messages")).toMatchObject([
      { role: "user", content: "Hello there" },
      { role: "assistant", content: "You said: Hello there", finishReason: "stop" },
    ]);
  });

  test("Non-streaming request", async () => {
    const tab = await run("Non-streaming request");
    expect(await send(tab, "Hello")).toBe("You said: Hello");
    expect(last().body).toMatchObject({ stream: false });
    expect(await tab.evaluate("document.querySelector('ai-agent').usage")).toMatchObject({
      promptTokens: 7,
      completionTokens: 5,
      totalTokens: 12,
    });
  });

  test("Anthropic provider", async () => {
    const tab = await run("Anthropic provider");
    expect(await send(tab, "Hello")).toBe("You said: Hello");
    expect(last()).toMatchObject({
      path: "/api/anthropic/v1/messages",
      headers: { "anthropic-version": "2023-06-01" },
      body: {
        model: "claude-sonnet-4-20250514",
        max_tokens: 4096,
        system: "You are a concise coding assistant.",
        messages: [{ role: "user" }],
      },
    });
  });

  test("Local model via Ollama", async () => {
    const tab = await run("Local model via Ollama");
    expect(await send(tab, "Hello")).toBe("You said: Hello");
    expect(last()).toMatchObject({ path: "/ollama/v1/chat/completions", body: { model: "llama3" } });
  });

  test("Azure OpenAI", async () => {
    const tab = await run("Azure OpenAI");
    expect(await send(tab, "Hello")).toBe("You said: Hello");
    expect(last().path).toBe("/api/azure/openai/deployments/gpt-4o/chat/completions?api-version=2024-02-01");
    expect(last().body).not.toHaveProperty("model");
  });

  test("Google (Gemini)", async () => {
    const tab = await run("Google (Gemini)");
    expect(await send(tab, "Hello")).toBe("You said: Hello");
    expect(last()).toMatchObject({
      path: "/api/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
      body: {
        systemInstruction: { parts: [{ text: "You are a concise coding assistant." }] },
        contents: [{ role: "user", parts: [{ text: "Hello" }] }],
      },
    });
    await send(tab, "Again");
    expect(last().body).toMatchObject({ contents: [{ role: "user" }, { role: "model" }, { role: "user" }] });
  });

  test("API key on the element", async () => {
    const tab = await run("API key on the element");
    expect(await send(tab, "Hello")).toBe("You said: Hello");
    expect(last()).toMatchObject({
      path: "/openai/v1/chat/completions",
      headers: { authorization: "Bearer sk-..." },
      body: { stream_options: { include_usage: true } },
    });
  });
});

describe("what is sent", () => {
  test("Tool use (function calling)", async () => {
    const tab = await run("Tool use (function calling)", {
      before: 'window.fetchWeather = async (location) => ({ temp: 22, unit: "C", location });',
    });
    await tab.waitFor(answered);
    const told = '{"temp":22,"unit":"C","location":"Tokyo"}';
    expect(await tab.evaluate("document.querySelector('ai-agent').content")).toBe(`It says ${told}.`);
    expect(await tab.evaluate("document.querySelector('ai-agent').messages")).toMatchObject([
      { role: "user" },
      { role: "assistant", toolCalls: [{ name: "get_weather", arguments: '{"location":"Tokyo"}' }] },
      { role: "tool", content: told },
      { role: "assistant", finishReason: "stop" },
    ]);
    expect(heard(2).map(({ body }) => (body["tools"] as object[])[0])).toMatchObject([
      { type: "function", function: { name: "get_weather", parameters: { required: ["location"] } } },
      { type: "function" },
    ]);
  });

  test("Structured output (JSON Schema)", async () => {
    const tab = await run("Structured output (JSON Schema)", {
      before: "console.log = (said) => (window.said = said);",
    });
    await tab.waitFor("window.said");
    expect(await tab.evaluate("window.said")).toEqual({ rating: 5, summary: "An amazing pizza." });
    expect(last().body).toMatchObject({
      response_format: {
        type: "json_schema",
        json_schema: { name: "response", strict: true, schema: { type: "object" } },
      },
    });
  });

  test("Multimodal input (text + image)", async () => {
    const tab = await run("Multimodal input (text + image)");
    await tab.waitFor(answered);
    expect(last().body["messages"]).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What's in this image?" },
          { type: "image_url", image_url: { url: "https://example.com/cat.jpg" } },
        ],
      },
    ]);
  });

  test("Using multimodal content", async () => {
    const dataUrl = "data:image/png;base64,iVBORw0KGgo=";
    await run("Using multimodal content", {
      html: agent,
      before: `import { AiCore } from "@csbc-dev/ai-agent";
        const core = new AiCore();
        core.provider = "openai";
        const el = document.querySelector("ai-agent");
        const dataUrlFromFileInput = "${dataUrl}";`,
    });
    const images = heard(2).map(({ body }) => (body["messages"] as { content: object[] }[])[0]?.content[1]);
    expect(images).toEqual([
      { type: "image_url", image_url: { url: "https://example.com/dog.jpg" } },
      { type: "image_url", image_url: { url: dataUrl } },
    ]);
  });

  test("System prompt only", async () => {
    const tab = await run("System prompt only");
    await send(tab, "Hello");
    const [system] = last().body["messages"] as { role: string; content: string }[];
    expect([system?.role, system?.content.split(/\s*\n\s*/)]).toEqual([
      "system",
      ["You are a helpful coding assistant.", "Always provide TypeScript examples."],
    ]);
  });

  test("Few-shot template", async () => {
    const tab = await run("Few-shot template");
    await send(tab, "Thank you");
    expect(last().body["messages"]).toEqual([
      { role: "system", content: "Translate English to French. Reply with the translation only." },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Bonjour" },
      { role: "user", content: "Good morning" },
      { role: "assistant", content: "Bonjour" },
      { role: "user", content: "Thank you" },
    ]);
  });

  test("Growing the history", async () => {
    const tab = await run("Growing the history", {
      html: agent,
      before: 'const el = document.querySelector("ai-agent");',
    });
    await send(tab, "Hello");
    expect((last().body["messages"] as { role: string }[]).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
    ]);
  });
});

describe("a page's program", () => {
  test("Conversation History", async () => {
    const saved = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Bonjour" },
    ];
    const tab = await run("Conversation History", {
      html: agent,
      before: `const savedMessages = ${JSON.stringify(saved)};`,
    });
    expect(await tab.evaluate("document.querySelector('ai-agent').messages")).toMatchObject(saved);
    await send(tab, "Again");
    expect(last().body["messages"]).toMatchObject([...saved, { role: "user", content: "Again" }]);
  });

  test("Abort", async () => {
    const tab = await run("Abort", {
      html: agent,
      before: `const going = document.querySelector("ai-agent");
        going.prompt = "Count for ever and ever";
        window.going = going.send();
        await new Promise((go) => going.addEventListener("ai-agent:content-changed", ({ detail }) => detail && go()));`,
    });
    expect(await tab.evaluate("window.going")).toBeNull();
    await pages.models.left;
    expect(
      await tab.evaluate(
        "(({ messages, loading, streaming, error, content }) => ({ messages, loading, streaming, error, content }))(document.querySelector('ai-agent'))",
      ),
    ).toMatchObject({
      messages: [],
      loading: false,
      streaming: false,
      error: null,
      content: expect.stringContaining("You said") as string,
    });
  });

  test("Retry and backoff", async () => {
    const tab = await run("Retry and backoff", {
      html: agent,
      before: `import { bind } from "@wc-bindable/core";
        const aiEl = document.querySelector("ai-agent");
        const scheduleRetry = (seconds) => (window.retryAfter = seconds);`,
    });
    expect(await send(tab, "I ask too often")).toBeNull();
    expect(await tab.evaluate("window.retryAfter")).toBe(7);
    expect(await tab.evaluate("document.querySelector('ai-agent').error")).toMatchObject({
      status: 429,
      body: "Slow down.",
    });
  });

  test("Programmatic Usage", async () => {
    const tab = await run("Programmatic Usage", { html: agent });
    const said = tab.console.messages.map(({ text }) => text);
    const reply = "You said: What is the meaning of life?";
    expect([said.slice(0, 2), said.slice(-2)]).toEqual([
      [reply, reply],
      ["false", "false"],
    ]);
  });

  test("Optional DOM Triggering", async () => {
    const tab = await run("Optional DOM Triggering");
    await tab.evaluate("document.querySelector('ai-agent').prompt = 'Hello'");
    await tab.click("button");
    await tab.waitFor(answered);
    expect(last().body["messages"]).toMatchObject([{ role: "user", content: "Hello" }]);
  });

  test("Vanilla", async () => {
    const tab = await run("Vanilla", { html: `${agent}<p id="response"></p>` });
    await send(tab, "Hello");
    expect(await tab.evaluate("document.getElementById('response').textContent")).toBe("You said: Hello");
  });
});
