// Chooses a hub's model: the requested one, else the first that can be found, else the rehearsal.
import type { AiOptions } from "../../hub/index.ts";
import { usageError } from "../common/command.ts";
import { isJsonObject } from "../../wire/index.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** An API that needs a key. The first of several variables that is set counts. */
interface ModelSource {
  readonly word: string;
  readonly otherWord?: string;
  readonly provider: AiOptions["provider"];
  readonly key: readonly string[];
  /** The variable with the API's address; needed where the API has no address of its own. */
  readonly address?: { readonly variable: string; readonly isNeeded?: true };
  readonly version?: readonly string[];
  /** The default model of each provider: a name, or the variables that hold it. Models come and go: `--model` wins. */
  readonly model: string | readonly string[];
}

const openAi = {
  key: ["OPENAI_API_KEY"],
  address: { variable: "OPENAI_BASE_URL" },
  model: "gpt-5.4-mini",
} as const;

/** In the order in which keys are searched. */
const modelSources: readonly ModelSource[] = [
  { word: "openai", provider: "openai", ...openAi },
  {
    word: "anthropic",
    provider: "anthropic",
    key: ["ANTHROPIC_API_KEY"],
    address: { variable: "ANTHROPIC_BASE_URL" },
    model: "claude-haiku-4-5",
  },
  {
    word: "google",
    otherWord: "gemini",
    provider: "google",
    key: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    address: { variable: "GOOGLE_GEMINI_BASE_URL" },
    model: "gemini-flash-latest",
  },
  {
    word: "azure-openai",
    otherWord: "azure",
    provider: "azure-openai",
    key: ["AZURE_OPENAI_API_KEY"],
    address: { variable: "AZURE_OPENAI_ENDPOINT", isNeeded: true },
    version: ["AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION"],
    model: ["AZURE_OPENAI_DEPLOYMENT", "AZURE_OPENAI_DEPLOYMENT_NAME"],
  },
  { word: "openai-responses", provider: "openai-responses", ...openAi },
];

/** The first of some variables that holds something. */
function firstSet(names: readonly string[], environment: Environment): readonly [string, string] | undefined {
  for (const name of names) {
    const value = environment[name]?.trim();
    if (value) return [name, value];
  }
  return undefined;
}

/** Converts an address that is written for a vendor's own library to the form of Pagewire's providers. */
function baseUrlOf(address: string): string {
  return address.replace(/\/+$/, "").replace(/\/v1$/, "");
}

const ollamaAddress = "http://127.0.0.1:11434";

/** A hub's start does not wait longer for an answer. */
const patience = 500;

/**
 * The models that an Ollama on this machine has for chat, the one that changed last first; none where there is no
 * Ollama.
 */
async function findOllamaModels(fetchFrom: typeof fetch): Promise<readonly string[]> {
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

/** The model of the Ollama on this machine that was chosen, if it is still there, else the latest. */
async function findOllama({ fetch: fetchFrom, chosen }: ModelWish): Promise<string | undefined> {
  const models = await findOllamaModels(fetchFrom);
  const before = chosen("ollama");
  return before !== undefined && models.includes(before) ? before : models[0];
}

export interface ModelWish {
  /** `--model`. */
  readonly model: string | undefined;
  /** `--no-model`. */
  readonly isUnwanted: boolean;
  readonly isJwtMode: boolean;
  /** The model that the owner chose of a provider earlier. */
  readonly chosen: (provider: string) => string | undefined;
  readonly environment: Environment;
  readonly fetch: typeof fetch;
}

/** A hub's model, and its name for the banner. */
export interface ModelChoice {
  /** For `createHub`; undefined for a hub without a model. */
  readonly ai: AiOptions | undefined;
  /** Such as openai/gpt-5.4-mini; none. */
  readonly name: string;
  /** The word for its provider, by which another of its models can be chosen. */
  readonly provider?: string;
  /** Whether the model itself was asked for at the start. */
  readonly isAsked?: boolean;
  /** The variable that holds the key. */
  readonly key?: string;
  /** Why it was chosen, or what it uses, as text. */
  readonly note: string;
}

const variables = modelSources.slice(0, 4).flatMap(({ key: [name] }) => (name === undefined ? [] : [name]));
const findable = `Set one of ${variables.join(", ")}, or start an Ollama`;

export async function chooseModel(wish: ModelWish): Promise<ModelChoice> {
  const { isUnwanted, environment } = wish;
  if (isUnwanted && wish.model !== undefined) throw usageError("Give --model or --no-model, not both.");
  const asked = wish.model ?? (environment["PAGEWIRE_MODEL"]?.trim() || undefined);
  if (isUnwanted || asked === "none") return without("as requested");
  return asked === undefined ? findModel(wish) : chooseAsked(asked, wish);
}

async function chooseAsked(asked: string, wish: ModelWish): Promise<ModelChoice> {
  if (asked === "rehearsal") return rehearsal("plays a model, as requested");
  const [, word = "", model] = /^([^/]*)(?:\/(.+))?$/s.exec(asked) ?? [];
  if (word === "ollama") {
    const name = model ?? (await findOllama(wish));
    if (name === undefined)
      throw usageError(`No Ollama with a model answers at ${ollamaAddress}. Try: ollama pull llama3.2`);
    return { ...ollama(name), isAsked: model !== undefined };
  }
  const source = modelSources.find((one) => one.word === word || one.otherWord === word);
  if (source) return fromSource(source, wish, model);
  const words = [...modelSources.map((one) => one.word), "ollama"].join(", ");
  throw usageError(
    `"${asked}" is no model. Write <provider>/<model>, such as openai/gpt-5.4-mini, with one of ${words}; or rehearsal, or none.`,
  );
}

async function findModel(wish: ModelWish): Promise<ModelChoice> {
  const { environment, isJwtMode } = wish;
  for (const source of modelSources) {
    if (isComplete(source, environment)) return fromSource(source, wish);
  }
  const found = await findOllama(wish);
  if (found !== undefined) return ollama(found);
  if (isJwtMode) return without(`no key was found. ${findable}; or ask for --model rehearsal`);
  return rehearsal(`only plays a model: no key was found. ${findable}`);
}

function isComplete({ key, address, model }: ModelSource, environment: Environment): boolean {
  return (
    firstSet(key, environment) !== undefined &&
    (!address?.isNeeded || firstSet([address.variable], environment) !== undefined) &&
    (typeof model === "string" || firstSet(model, environment) !== undefined)
  );
}

function fromSource(source: ModelSource, { environment, chosen }: ModelWish, asked?: string): ModelChoice {
  const { word, provider, key: keys, address, version = [] } = source;
  const missing = (what: string, names: readonly string[]) =>
    usageError(`The model ${word} needs ${what}. Put it into ${names.join(" or ")}.`);
  const key = firstSet(keys, environment);
  if (!key) throw missing("a key", keys);
  const baseUrl = address && firstSet([address.variable], environment);
  if (address?.isNeeded && !baseUrl) throw missing("an address", [address.variable]);
  if (baseUrl && !(URL.canParse(baseUrl[1]) && /^https?:/i.test(baseUrl[1])))
    throw usageError(`${baseUrl[0]} holds no address that begins with http: "${baseUrl[1]}"`);
  const names = typeof source.model === "string" ? [] : source.model;
  const model =
    asked ?? chosen(word) ?? (typeof source.model === "string" ? source.model : firstSet(names, environment)?.[1]);
  if (model === undefined) throw missing("a model's name", names);
  const apiVersion = firstSet(version, environment);
  return {
    ai: {
      provider,
      model,
      apiKey: key[1],
      ...(baseUrl ? { baseUrl: baseUrlOf(baseUrl[1]) } : {}),
      ...(apiVersion ? { apiVersion: apiVersion[1] } : {}),
    },
    name: `${word}/${model}`,
    provider: word,
    isAsked: asked !== undefined,
    key: key[0],
    note: `with the key of ${key[0]}${baseUrl ? `, at ${new URL(baseUrl[1]).host}` : ""}`,
  };
}

function ollama(model: string): ModelChoice {
  const ai = { provider: "openai", model, baseUrl: ollamaAddress } as const;
  return { ai, name: `ollama/${model}`, provider: "ollama", note: `without a key, at ${ollamaAddress}` };
}

function rehearsal(note: string): ModelChoice {
  return { ai: { provider: "rehearsal" }, name: "rehearsal", note };
}

function without(note: string): ModelChoice {
  return { ai: undefined, name: "none", note };
}
