import { wrong } from "./check.ts";
import type { IAiProvider } from "./provider.ts";

/** The built-in providers. What they are is loaded when the first of them is used. */
export const providerNames =
  "openai, openai-responses, azure-openai, anthropic, google, ollama, lmstudio, openrouter, mistral, groq, deepseek, xai, together, azure, vertex, bedrock";

type Split<Names> = Names extends `${infer Name}, ${infer More}` ? Name | Split<More> : Names;
export type AiProviderName = Split<typeof providerNames>;

export function isProviderName(value: unknown): value is AiProviderName {
  return providerNames.split(", ").includes(value as string);
}

/** Loads a provider by its name, or returns one that was passed. Throws if it is neither. */
export function providerLoader(provider: string | IAiProvider | null): () => Promise<IAiProvider> {
  if (typeof provider === "object" && typeof provider?.buildRequest === "function") return async () => provider;
  if (!isProviderName(provider))
    throw wrong("provider", `one of ${providerNames}, or an object with buildRequest`, provider);
  return () => loaded(import("./providers/by-name.ts").then((part) => part.loadProvider(provider)));
}

/** Waits for a part that is loaded when a send first needs it. */
export function loaded<Part>(part: Promise<Part>): Promise<Part> {
  return part.catch((cause: unknown) => {
    const advice = "see that all of Pagewire's files are served";
    throw new Error(`A part that this send needs could not be loaded (${String(cause)}): ${advice}.`, { cause });
  });
}
