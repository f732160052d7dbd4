import { wrong } from "./check.ts";
import type { IAiProvider } from "./provider.ts";

/** The built-in providers. Each is loaded when it is first used. */
const loaders = {
  openai: () => import("./providers/openai.ts").then((part) => part.OpenAiProvider),
  "openai-responses": () => import("./providers/openai-responses.ts").then((part) => part.OpenAiResponsesProvider),
  "azure-openai": () => import("./providers/azure-openai.ts").then((part) => part.AzureOpenAiProvider),
  anthropic: () => import("./providers/anthropic.ts").then((part) => part.AnthropicProvider),
  google: () => import("./providers/google.ts").then((part) => part.GoogleProvider),
} satisfies Record<string, () => Promise<new () => IAiProvider>>;

export type AiProviderName = keyof typeof loaders;

/** Loads a provider by its name, or returns one that was passed. Throws if it is neither. */
export function providerLoader(provider: string | IAiProvider | null): () => Promise<IAiProvider> {
  if (typeof provider === "object" && typeof provider?.buildRequest === "function") return async () => provider;
  for (const [name, load] of Object.entries(loaders)) {
    if (name === provider) return async () => new (await loaded<new () => IAiProvider>(load()))();
  }
  throw wrong("provider", `one of ${Object.keys(loaders).join(", ")}, or an object with buildRequest`, provider);
}

/** Waits for a part that is loaded when a send first needs it. */
export function loaded<Part>(part: Promise<Part>): Promise<Part> {
  return part.catch((cause: unknown) => {
    const advice = "see that all of Pagewire's files are served, and reload the page";
    throw new Error(`A part that this send needs could not be loaded (${String(cause)}): ${advice}.`, { cause });
  });
}
