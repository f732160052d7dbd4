// Clients of a model, each asked for one whole answer.
import { createOpenAI } from "@ai-sdk/openai";
import { streamText } from "ai";
import OpenAI from "openai";
import { AiCore } from "pagewire/ai";
import { createBareParser } from "./bare-parse.ts";
import type { PrepareReader } from "./reader.ts";
import { fetchOf } from "./replay.ts";

const apiKey = "none";
const model = "any";
const prompt = "Tell me of the harbour.";

export const answerReaders: Readonly<Record<string, PrepareReader>> = {
  floor(answer) {
    const fetch = fetchOf(answer);
    return async () => {
      const body = JSON.stringify({ model, stream: true, messages: [{ role: "user", content: prompt }] });
      const response = await fetch("https://model.test/", { method: "POST", body });
      const parse = createBareParser(answer.format);
      const decoder = new TextDecoder();
      const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
      let text = "";
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        text += parse(decoder.decode(next.value, { stream: true }));
      }
      return text;
    };
  },

  pagewire(answer) {
    const fetch = fetchOf(answer);
    return async () => {
      const core = new AiCore();
      core.provider = answer.format;
      const text = await core.send(prompt, { model, apiKey, fetch });
      if (text === null) throw new Error("AiCore gave no answer.", { cause: core.error });
      return text;
    };
  },

  "openai SDK"(answer) {
    const client = new OpenAI({ apiKey, fetch: fetchOf(answer) });
    return async () => {
      const messages = [{ role: "user" as const, content: prompt }];
      let text = "";
      for await (const { choices } of await client.chat.completions.create({ model, messages, stream: true })) {
        text += choices[0]?.delta.content ?? "";
      }
      return text;
    };
  },

  "ai SDK"(answer) {
    const chat = createOpenAI({ apiKey, fetch: fetchOf(answer) }).chat(model);
    return async () => {
      let text = "";
      for await (const part of streamText({ model: chat, prompt }).textStream) text += part;
      return text;
    };
  },
};
