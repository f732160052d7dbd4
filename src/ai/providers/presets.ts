// Vendors and servers that are like OpenAI's chat completions, by name.
import type { AiFile, IAiProvider } from "../provider.ts";
import type { AiMessage, AiRequestOptions } from "../types.ts";
import { CompatibleProvider } from "./compatible.ts";
import type { Preset } from "./compatible.ts";
import { withFittedTools } from "./fit-tools.ts";

/** The key, where there is one, goes into the header `Authorization`. */
const presets = {
  ollama: { title: "Ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  lmstudio: { title: "LM Studio", baseUrl: "http://127.0.0.1:1234/v1" },
  openrouter: { title: "OpenRouter", baseUrl: "https://openrouter.ai/api/v1" },
  mistral: { title: "Mistral", baseUrl: "https://api.mistral.ai/v1", adapt: forMistral, files: mistralFile },
  groq: { title: "Groq", baseUrl: "https://api.groq.com/openai/v1" },
  deepseek: { title: "DeepSeek", baseUrl: "https://api.deepseek.com/v1", adapt: forDeepSeek },
  xai: { title: "xAI", baseUrl: "https://api.x.ai/v1" },
  together: { title: "Together", baseUrl: "https://api.together.xyz/v1" },
  azure: { title: "Azure", baseUrl: "", adapt: forAzure, models: () => Promise.reject(noList("Azure", "deployment")) },
} satisfies Record<string, Preset>;

export type PresetName = keyof typeof presets;

export function createPreset(name: string): IAiProvider {
  return new CompatibleProvider(presets[name as PresetName]);
}

function noList(title: string, what: string): Error {
  return new Error(`${title} lists no models by this key: name a ${what} of yours.`);
}

/** Azure's v1 address; the model is the deployment. */
function forAzure(messages: AiMessage[], { baseUrl = "", ...options }: AiRequestOptions) {
  if (!baseUrl.trim())
    throw new Error("The provider azure needs baseUrl: the address of your resource, or of your proxy.");
  const resource = baseUrl.trim().replace(/(?<!\/)\/openai\/?(?=\?|$)/, "");
  // A proxy's address has a version of its own choice.
  const isWhole = /\/v\d+\w*(\/|\?|$)|\/chat\/completions/.test(resource);
  const base = isWhole ? resource : resource.replace(/\/*(\?.*)?$/, "/openai/v1$1");
  return [messages, { ...options, baseUrl: base }] as const;
}

/** Mistral refuses fields that it does not know, and ids of calls that are not its own kind. */
function forMistral(messages: AiMessage[], { seed, toolChoice, ...options }: AiRequestOptions) {
  const body = {
    ...(seed !== undefined && { random_seed: seed }),
    ...(toolChoice === "required" && options.tools?.length && { tool_choice: "any" }),
    ...options.body,
  };
  const given = messages.map(({ toolCallId, toolCalls, ...message }): AiMessage => {
    return {
      ...message,
      ...(toolCallId && { toolCallId: mistralId(toolCallId) }),
      ...(toolCalls && { toolCalls: toolCalls.map((call) => ({ ...call, id: mistralId(call.id) })) }),
    };
  });
  const choice = toolChoice && { toolChoice };
  return [given, withFittedTools({ ...options, ...choice, body, streamOptions: "never" }, "openai")] as const;
}

/** Nine letters and digits: its own stay as they are. */
function mistralId(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  // FNV-1a, in two halves.
  const hash = (seed: number) =>
    Array.from(id).reduce((sum, one) => Math.imul(sum ^ one.charCodeAt(0), 0x01000193), seed) >>> 0;
  return (hash(0x811c9dc5).toString(36) + hash(0x9dc5811c).toString(36)).padEnd(9, "0").slice(0, 9);
}

function mistralFile({ kind, url, name, mediaType, data }: AiFile): object | undefined {
  const address = data === undefined ? url : `data:${mediaType};base64,${data}`;
  if (kind === "picture") return { type: "image_url", image_url: address };
  if (kind === "pdf") return { type: "document_url", document_url: address, document_name: name };
  return kind === "audio" && data !== undefined ? { type: "input_audio", input_audio: data } : undefined;
}

/** DeepSeek gives JSON, but takes no schema: the schema goes into the prompt. */
function forDeepSeek(messages: AiMessage[], options: AiRequestOptions) {
  const { responseSchema, responseSchemaName: _, system, body, ...more } = options;
  if (!responseSchema) return [messages, options] as const;
  const words = `Answer with JSON that matches this JSON Schema, and nothing else: ${JSON.stringify(responseSchema)}`;
  return [
    messages,
    {
      ...more,
      system: system ? `${system}\n\n${words}` : words,
      body: { response_format: { type: "json_object" }, ...body },
    },
  ] as const;
}
