// The model that an organisation has set for its people, as it is asked for and as it is stored, and where its key may be sent.
import { isProviderName, providerNames } from "../../ai/index.ts";
import type { AiProviderName } from "../../ai/index.ts";
import { PagewireError, isJsonObject, parseUrl } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";

export interface ModelSetting {
  readonly provider: AiProviderName;
  /** The default first. */
  readonly models: readonly string[];
  /** Undefined for the vendor's own. */
  readonly baseUrl: string | undefined;
}

export interface StoredModel extends ModelSetting {
  /** Undefined for a server that needs none. */
  readonly sealed: string | undefined;
  readonly setBy: string;
  /** Milliseconds since 1970. */
  readonly setAt: number;
}

const modelForm = /^[\x21-\x7e]{1,200}$/;
const keyForm = /^[\x21-\x7e]{8,8192}$/;
const maxModels = 50;

/** The providers whose addresses are of machines near the hub. */
const nearby: readonly AiProviderName[] = ["ollama", "lmstudio"];

/** Vendors give their customers hosts of their own, below names that are the vendor's. */
const vendorHosts: Readonly<Partial<Record<AiProviderName, RegExp>>> = {
  azure: /^[a-z0-9-]+\.(openai\.azure\.com|services\.ai\.azure\.com|cognitiveservices\.azure\.com)$/,
  "azure-openai": /^[a-z0-9-]+\.(openai\.azure\.com|cognitiveservices\.azure\.com)$/,
  bedrock: /^bedrock-runtime(-fips)?\.[a-z0-9-]+\.amazonaws\.com$/,
  vertex: /^([a-z0-9-]+-)?aiplatform\.googleapis\.com$/,
};

export function readModelSetting(
  { provider, model, models = model, baseUrl, apiKey, ...rest }: JsonObject,
  allowed: readonly string[],
): { readonly setting: ModelSetting; readonly apiKey: string | undefined } {
  const [other] = Object.keys(rest);
  if (other !== undefined) throw malformed(`"${other.slice(0, 60)}" means nothing here. There are ${fields}.`);
  if (!isProviderName(provider)) throw malformed(`"provider" must be one of ${providerNames}.`);
  const names: readonly unknown[] = Array.isArray(models) ? models : [models];
  if (names.length === 0 || names.length > maxModels || !names.every(isModel))
    throw malformed(`"models" must name the models that may be asked for, the default first, at most ${maxModels}.`);
  if (apiKey !== undefined && !(typeof apiKey === "string" && keyForm.test(apiKey)))
    throw malformed('"apiKey" must be a text of 8 to 8192 printable characters without spaces.');
  const address = baseUrl === undefined ? undefined : readAddress(baseUrl);
  const setting = { provider, models: names, baseUrl: address };
  const problem = addressProblem(setting, allowed);
  if (problem !== undefined) throw new PagewireError("address-refused", problem);
  return { setting, apiKey };
}

const fields = "provider, model or models, apiKey and baseUrl";

function isModel(value: unknown): value is string {
  return typeof value === "string" && modelForm.test(value);
}

/** A base URL in one form; what could hold a secret, or lead elsewhere, is refused. */
function readAddress(given: unknown): string {
  const url = typeof given === "string" ? parseUrl(given) : undefined;
  const isPlain = url && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  // Servers may take an encoded slash or dot for one, and be led above what is allowed.
  if (!isPlain || !/^https?:$/.test(url.protocol) || /%(?:2e|2f|5c|25)/i.test(url.pathname))
    throw malformed(
      '"baseUrl" must be an https address without a user, a query, a fragment and encoded slashes or dots.',
    );
  return url.href.replace(/\/+$/, "");
}

/** The addresses that the operator allows, in the same form. */
export function readAddresses(given: readonly string[]): readonly string[] {
  return given.map(readAddress);
}

/** Why the hub sends nothing there for an organisation: an admin could make the hub reach what only it can. */
export function addressProblem({ provider, baseUrl }: ModelSetting, allowed: readonly string[]): string | undefined {
  const vendor = vendorHosts[provider];
  if (baseUrl === undefined) {
    if (!nearby.includes(provider) && !provider.startsWith("azure")) return undefined;
    return `The provider ${provider} has no address of its own here: give a "baseUrl" that the hub's operator allows.`;
  }
  if (allowed.some((each) => baseUrl === each || baseUrl.startsWith(`${each}/`))) return undefined;
  const { protocol, port, hostname } = new URL(baseUrl);
  if (protocol === "https:" && port === "" && vendor?.test(hostname)) return undefined;
  return `The hub sends nothing to ${baseUrl} for an organisation: leave "baseUrl" out for the vendor's own address, or ask the hub's operator to allow it ("modelAddresses").`;
}

/** Whether the hub asks for no key: servers that an operator allows may need none. */
export function needsKey({ baseUrl }: ModelSetting, allowed: readonly string[]): boolean {
  return baseUrl === undefined || !allowed.some((each) => baseUrl === each || baseUrl.startsWith(`${each}/`));
}

/** The binding of its key: a key that was moved to another organisation or address cannot be unsealed. */
export function bindingOf(organisation: string, { provider, baseUrl = "" }: ModelSetting): string {
  return JSON.stringify(["model", organisation, provider, baseUrl]);
}

export function parseStoredModel(value: JsonObject): StoredModel | undefined {
  const { provider, models, baseUrl, sealed, setBy, setAt } = value;
  if (!isProviderName(provider) || !Array.isArray(models) || !models.every(isModel)) return undefined;
  if (typeof setBy !== "string" || typeof setAt !== "number") return undefined;
  return {
    ...{ provider, models, setBy, setAt },
    baseUrl: typeof baseUrl === "string" ? baseUrl : undefined,
    sealed: typeof sealed === "string" ? sealed : undefined,
  };
}

export function storedValue(model: StoredModel): JsonObject {
  const value: unknown = JSON.parse(JSON.stringify(model));
  return isJsonObject(value) ? value : {};
}

function malformed(message: string): PagewireError {
  return new PagewireError("request-malformed", message);
}
