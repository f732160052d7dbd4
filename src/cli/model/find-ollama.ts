import { isJsonObject } from "../../wire/index.ts";

export const ollamaAddress = "http://127.0.0.1:11434";

/** A hub's start does not wait longer for an answer. */
const patience = 500;

/** The models that an Ollama on this machine has for chat, the one that changed last first; none where there is no Ollama. */
export async function findOllamaModels(fetchFrom: typeof fetch): Promise<readonly string[]> {
  try {
    const response = await fetchFrom(`${ollamaAddress}/api/tags`, { signal: AbortSignal.timeout(patience) });
    const body: unknown = response.ok ? await response.json() : undefined;
    const models: readonly unknown[] = isJsonObject(body) && Array.isArray(body["models"]) ? body["models"] : [];
    const names = models.map((model) => (isJsonObject(model) ? model["name"] : undefined));
    return names.filter((name) => typeof name === "string" && name !== "" && !/embed/i.test(name)) as string[];
  } catch {
    return [];
  }
}
