// Which model a hub has: the one that was asked for, else the first that can be found, else the rehearsal.
import type { AiOptions } from "../../hub/index.ts";
import { usageError } from "../command.ts";
import { findOllamaModels, ollamaAddress } from "./find-ollama.ts";
import { baseUrlOf, firstSet, modelSources } from "./model-sources.ts";
import type { Environment, ModelSource } from "./model-sources.ts";

export interface ModelWish {
  /** `--model`. */
  readonly model: string | undefined;
  /** `--no-model`. */
  readonly isUnwanted: boolean;
  readonly isJwtMode: boolean;
  readonly environment: Environment;
  readonly fetch: typeof fetch;
}

/** A hub's model, and how it is told of. */
export interface ModelChoice {
  /** For `createHub`; undefined for a hub without a model. */
  readonly ai: AiOptions | undefined;
  /** Such as openai/gpt-5.4-mini; none. */
  readonly name: string;
  /** The variable that holds the key. */
  readonly key?: string;
  /** Why it is this one, or what it uses, in words. */
  readonly note: string;
}

const variables = modelSources.slice(0, 4).flatMap(({ key: [name] }) => (name === undefined ? [] : [name]));
const findable = `Set one of ${variables.join(", ")}, or start an Ollama`;

export async function chooseModel(wish: ModelWish): Promise<ModelChoice> {
  const { isUnwanted, environment } = wish;
  if (isUnwanted && wish.model !== undefined) throw usageError("Give --model or --no-model, not both.");
  const asked = wish.model ?? (environment["PAGEWIRE_MODEL"]?.trim() || undefined);
  if (isUnwanted || asked === "none") return without("as it was told to");
  return asked === undefined ? findModel(wish) : chooseAsked(asked, wish);
}

async function chooseAsked(asked: string, { environment, fetch: fetchFrom }: ModelWish): Promise<ModelChoice> {
  if (asked === "rehearsal") return rehearsal("plays a model, as it was told to");
  const [, word = "", model] = /^([^/]*)(?:\/(.+))?$/s.exec(asked) ?? [];
  if (word === "ollama") {
    const name = model ?? (await findOllamaModels(fetchFrom))[0];
    if (name === undefined)
      throw usageError(`No Ollama with a model answers at ${ollamaAddress}. Try: ollama pull llama3.2`);
    return ollama(name);
  }
  const source = modelSources.find((one) => one.word === word || one.otherWord === word);
  if (source) return fromSource(source, environment, model);
  const words = [...modelSources.map((one) => one.word), "ollama"].join(", ");
  throw usageError(
    `"${asked}" is no model. Write <provider>/<model>, such as openai/gpt-5.4-mini, with one of ${words}; or rehearsal, or none.`,
  );
}

async function findModel({ environment, fetch: fetchFrom, isJwtMode }: ModelWish): Promise<ModelChoice> {
  for (const source of modelSources) {
    if (isComplete(source, environment)) return fromSource(source, environment);
  }
  const [found] = await findOllamaModels(fetchFrom);
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

function fromSource(source: ModelSource, environment: Environment, asked?: string): ModelChoice {
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
  const model = asked ?? (typeof source.model === "string" ? source.model : firstSet(names, environment)?.[1]);
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
    key: key[0],
    note: `with the key of ${key[0]}${baseUrl ? `, at ${new URL(baseUrl[1]).host}` : ""}`,
  };
}

function ollama(model: string): ModelChoice {
  const ai = { provider: "openai", model, baseUrl: ollamaAddress } as const;
  return { ai, name: `ollama/${model}`, note: `without a key, at ${ollamaAddress}` };
}

function rehearsal(note: string): ModelChoice {
  return { ai: { provider: "rehearsal" }, name: "rehearsal", note };
}

function without(note: string): ModelChoice {
  return { ai: undefined, name: "none", note };
}
