// The model servers of this machine, which are found by their usual address. Only their lists are asked for.
import type { HubOptions } from "../../hub/index.ts";
import { isJsonObject } from "../../wire/index.ts";

type LocalModels = Awaited<ReturnType<NonNullable<NonNullable<HubOptions["settings"]>["localModels"]>>>[number];

export interface LocalServer {
  readonly provider: "ollama" | "lmstudio";
  readonly title: string;
  readonly address: string;
  /** The path of its list, and the field that has it. */
  readonly list: readonly [path: string, field: string];
  /** The next step if it has no model. */
  readonly advice: string;
}

/** The first is chosen where there is no key; the other is only offered. */
export const localServers: readonly [LocalServer, LocalServer] = [
  {
    provider: "ollama",
    title: "Ollama",
    address: "http://127.0.0.1:11434",
    // The one that changed last first.
    list: ["/api/tags", "models"],
    advice: "ollama pull llama3.2",
  },
  {
    provider: "lmstudio",
    title: "LM Studio",
    address: "http://127.0.0.1:1234",
    list: ["/v1/models", "data"],
    advice: "lms get llama-3.2-3b, and lms server start",
  },
];

/** Neither a hub's start nor a list of models waits longer for an answer. */
const patience = 500;
const maxCharacters = 1024 * 1024;

/** Its models for chat; none where it does not answer. */
export async function listLocal({ address, list }: LocalServer, fetchFrom: typeof fetch): Promise<readonly string[]> {
  const [path, field] = list;
  try {
    const response = await fetchFrom(`${address}${path}`, { signal: AbortSignal.timeout(patience), redirect: "error" });
    const text = response.ok ? await response.text() : "";
    const body: unknown = text.length > maxCharacters ? undefined : JSON.parse(text);
    const models: unknown = isJsonObject(body) ? body[field] : undefined;
    const names = Array.isArray(models)
      ? models.map((model) => (isJsonObject(model) ? (model["name"] ?? model["id"]) : ""))
      : [];
    return names.filter((name) => typeof name === "string" && name !== "" && !/embed/i.test(name)) as string[];
  } catch {
    return [];
  }
}

/** The servers of this machine that answer with a model, but for that of a provider. */
export async function findLocalModels(fetchFrom: typeof fetch, except?: string): Promise<readonly LocalModels[]> {
  const others = localServers.filter(({ provider }) => provider !== except);
  const found = await Promise.all(
    others.map(async (server) => {
      const { provider, title, address } = server;
      return { provider, title, address, models: (await listLocal(server, fetchFrom)).slice(0, 100) };
    }),
  );
  return found.filter(({ models }) => models.length > 0);
}
