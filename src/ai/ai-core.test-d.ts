import { expectTypeOf, test } from "vitest";
import { AiCore } from "./index.ts";
import type { AiContentPart, AiMessage, AiRequestOptions, AiToolCallState, IAiProvider } from "./index.ts";

test("a core may be extended, with a send that takes less", () => {
  class ServerAiCore extends AiCore {
    override async send(prompt: string, options: AiRequestOptions): Promise<string | null> {
      return await super.send(prompt, { ...options, apiKey: "secret", baseUrl: "https://api.openai.com" });
    }
  }
  expectTypeOf(new ServerAiCore()).toExtend<AiCore>();
  expectTypeOf(new AiCore().send).parameter(0).toEqualTypeOf<string | AiContentPart[]>();
  expectTypeOf(new AiCore().messages).toEqualTypeOf<AiMessage[]>();
  expectTypeOf(new AiCore().toolCalls).toEqualTypeOf<AiToolCallState[]>();
});

test("a provider needs three members only", () => {
  const provider: IAiProvider = {
    buildRequest: (messages, options) => ({
      url: `${options.baseUrl}/v1/generate`,
      headers: {},
      body: JSON.stringify({ prompt: messages.at(-1)?.content, model: options.model }),
    }),
    parseResponse: (data) => ({ content: data.text }),
    parseStreamChunk: (_event, data) => (data === "[DONE]" ? { done: true } : null),
  };
  const core = new AiCore();
  core.provider = provider;
  expectTypeOf(core.provider).toEqualTypeOf<IAiProvider>();
});
