import { wrong } from "./check.ts";
import type { IAiProvider } from "./provider.ts";

/** The built-in providers. Each is loaded when it is first asked something. */
const loaders = {
  openai: async () => new (await import("./providers/openai.ts")).OpenAiProvider(),
  "openai-responses": async () => new (await import("./providers/openai-responses.ts")).OpenAiResponsesProvider(),
  "azure-openai": async () => new (await import("./providers/azure-openai.ts")).AzureOpenAiProvider(),
  anthropic: async () => new (await import("./providers/anthropic.ts")).AnthropicProvider(),
  google: async () => new (await import("./providers/google.ts")).GoogleProvider(),
} satisfies Record<string, () => Promise<IAiProvider>>;

export type AiProviderName = keyof typeof loaders;

/** How a provider is got: by its name, or as it is. Throws where it is neither. */
export function providerLoader(provider: string | IAiProvider | null): () => Promise<IAiProvider> {
  if (typeof provider === "object" && typeof provider?.buildRequest === "function") return async () => provider;
  for (const [name, load] of Object.entries(loaders)) if (name === provider) return load;
  throw wrong("provider", `one of ${Object.keys(loaders).join(", ")}, or an object with buildRequest`, provider);
}
