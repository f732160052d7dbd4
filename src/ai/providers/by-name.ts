// The built-in providers by name: each is loaded when it is first used.
import type { AiProviderName } from "../lazy-parts.ts";
import type { IAiProvider } from "../provider.ts";

const loaders: Readonly<Partial<Record<AiProviderName, () => Promise<IAiProvider>>>> = {
  openai: () => import("./openai.ts").then((part) => new part.OpenAiProvider()),
  "openai-responses": () => import("./openai-responses.ts").then((part) => new part.OpenAiResponsesProvider()),
  "azure-openai": () => import("./azure-openai.ts").then((part) => new part.AzureOpenAiProvider()),
  anthropic: () => import("./anthropic.ts").then((part) => new part.AnthropicProvider()),
  google: () => import("./google.ts").then((part) => new part.GoogleProvider()),
  vertex: () => import("./vertex.ts").then((part) => new part.VertexProvider()),
  bedrock: () => import("./bedrock.ts").then((part) => new part.BedrockProvider()),
};

/** All others are like OpenAI's. */
const loadPreset = (name: AiProviderName) => import("./presets.ts").then((part) => part.createPreset(name));

export function loadProvider(name: AiProviderName): Promise<IAiProvider> {
  return (loaders[name] ?? loadPreset)(name);
}
