// Chooses a hub's model: the requested one, else the first that can be found, else the rehearsal.
import type { AiOptions } from "../../hub/index.ts";
import { usageError } from "../common/command.ts";
import { listLocal, localServers } from "./local-models.ts";
import type { LocalServer } from "./local-models.ts";
import { firstSet, modelSources } from "./model-sources.ts";
import type { Environment, ModelSource } from "./model-sources.ts";

/** The model of the server on this machine that was chosen, if it is still there, else its first. */
async function findLocal(server: LocalServer, { fetch: fetchFrom, chosen }: ModelWish): Promise<string | undefined> {
  const models = await listLocal(server, fetchFrom);
  const before = chosen(server.provider);
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
  const server = localServers.find(({ provider }) => provider === word);
  if (server) {
    const name = model ?? (await findLocal(server, wish));
    if (name === undefined)
      throw usageError(`No ${server.title} with a model answers at ${server.address}. Try: ${server.advice}`);
    return { ...localModel(server, name), isAsked: model !== undefined };
  }
  const source = modelSources.find((one) => one.word === word || one.otherWord === word);
  if (source) return fromSource(source, wish, model);
  const words = [...modelSources.map((one) => one.word), ...localServers.map((one) => one.provider)].join(", ");
  throw usageError(
    `"${asked}" is no model. Write <provider>/<model>, such as openai/gpt-5.4-mini, with one of ${words}; or rehearsal, or none.`,
  );
}

async function findModel(wish: ModelWish): Promise<ModelChoice> {
  const { environment, isJwtMode } = wish;
  for (const source of modelSources) {
    if (!source.isOnlyAsked && isComplete(source, environment)) return fromSource(source, wish);
  }
  const [ollama] = localServers;
  const found = await findLocal(ollama, wish);
  if (found !== undefined) return localModel(ollama, found);
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
  const { word, provider, key: keys, otherKey, address, place, version = [] } = source;
  const missing = (what: string, names: readonly string[]) =>
    usageError(`The model ${word} needs ${what}. Put it into ${names.join(" or ")}.`);
  const key = firstSet(keys, environment) ?? otherKey?.(environment);
  if (!key) throw missing("a key", keys);
  const given = address && firstSet([address.variable], environment);
  if (address?.isNeeded && !given) throw missing("an address", [address.variable]);
  if (given && !(URL.canParse(given[1]) && /^https?:/i.test(given[1])))
    throw usageError(`${given[0]} holds no address that begins with http: "${given[1]}"`);
  const baseUrl = given?.[1] ?? place?.at(environment);
  if (place && !baseUrl) throw missing(place.needs, [place.variable]);
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
      ...(baseUrl ? { baseUrl } : {}),
      ...(apiVersion ? { apiVersion: apiVersion[1] } : {}),
    },
    name: `${word}/${model}`,
    provider: word,
    isAsked: asked !== undefined,
    key: key[0],
    note: `with the key of ${key[0]}${baseUrl ? `, at ${new URL(baseUrl).host}` : ""}`,
  };
}

function localModel({ provider, address }: LocalServer, model: string): ModelChoice {
  return { ai: { provider, model }, name: `${provider}/${model}`, provider, note: `without a key, at ${address}` };
}

function rehearsal(note: string): ModelChoice {
  return { ai: { provider: "rehearsal" }, name: "rehearsal", note };
}

function without(note: string): ModelChoice {
  return { ai: undefined, name: "none", note };
}
