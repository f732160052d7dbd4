// The hub owner's options for its model. Neither pages nor programs can change them.
import { isProviderName, providerNames } from "../../ai/index.ts";
import type { AiProviderName, AiRequestOptions, AiTool, IAiProvider } from "../../ai/index.ts";
import { PagewireError, parseUrl } from "../../wire/index.ts";
import { rehearsalFetch, rehearsalProvider } from "../rehearsal/rehearsal-provider.ts";

/** A tool of the server's own; `"page"` stands for all tools that the page offers through `connectPage`. */
export type HubTool = AiTool | "page";

export interface AiOptions {
  /** An API by name, a provider of your own, or `rehearsal`: the built-in model that needs no key. */
  readonly provider: AiProviderName | "rehearsal" | IAiProvider;
  /** The allowed models. The first one is the default. */
  readonly model?: string | readonly string[];
  readonly apiKey?: string;
  /** Gives the key where `apiKey` is left out, for keys that end, such as a cloud's tokens. */
  readonly getApiKey?: AiRequestOptions["getApiKey"];
  readonly baseUrl?: string;
  readonly apiVersion?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of the provider's own request, merged over the built one. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly fetch?: typeof fetch;
  readonly retries?: AiRequestOptions["retries"];
  /** Prices for the cost of answers: the built-in ones by default; a table of yours replaces them, false leaves costs out. */
  readonly prices?: AiRequestOptions["prices"];
  /**
   * Whether usage is requested while an answer streams. Always, by default; some OpenAI-compatible servers cannot do
   * it.
   */
  readonly streamOptions?: AiRequestOptions["streamOptions"];
  readonly system?: string | ((principal: string) => string);
  /**
   * The tools that the model may use, with their handlers. A request can only select from them, by name; a request for
   * `"page"` gets its own page's tools, too.
   */
  readonly tools?: readonly HubTool[] | ((principal: string) => readonly HubTool[]);
  /** The timeout of a tool in milliseconds; 60 000 by default. */
  readonly toolTimeout?: number;
  /** The max tokens of one answer, and the default of a request; 8192 by default. */
  readonly maxTokens?: number;
  /** The max rounds of tool calls before an answer, and the default of a request; 10 by default. */
  readonly maxToolRoundtrips?: number;
  /** Tokens of one principal per day (UTC): a million by default. `Infinity` for no quota. */
  readonly quota?: number | ((principal: string) => number);
  /** Accepts a client's own key instead of the server's; its base URL is only accepted if it is listed here. */
  readonly allowCredentials?: boolean | { readonly baseUrls: readonly string[] };
  /** Accepts a request's system text, which is added after the server's own. */
  readonly allowSystem?: boolean;
}

/** The options in their resolved form. */
export interface ResolvedAi {
  /** In team mode: whose model and key it is; the hub's own if missing. */
  readonly organisation?: string;
  readonly isRehearsal: boolean;
  readonly provider: AiProviderName | IAiProvider;
  /** The default model first. */
  readonly models: readonly string[];
  /** Makes a model the default, beside those of the options. */
  choose(model: string): void;
  readonly apiKey: string | undefined;
  /** The server's own address for the provider, if it is not the default. */
  readonly baseUrl: string | undefined;
  readonly fetch: typeof fetch | undefined;
  readonly maxTokens: number;
  readonly maxToolRoundtrips: number;
  readonly allowSystem: boolean;
  /** Masks the server's key, the values of its headers, and its address in a text. */
  mask(text: string): string;
  /** The base URLs that a client may use with its own key; undefined if it may not use its own key. */
  readonly foreignBaseUrls: readonly string[] | undefined;
  /** The fixed options of every provider request. Only the server's own address gets its key and headers. */
  fixedFor(baseUrl: string | undefined): Partial<AiRequestOptions>;
  systemFor(principal: string): string | undefined;
  toolsFor(principal: string): readonly HubTool[];
  quotaFor(principal: string): number;
}

const million = 1_000_000;

/** The rehearsal accepts any model name; this is the default. */
const rehearsalModel = "rehearsal";

export function resolveAiOptions(options: AiOptions): ResolvedAi {
  const { provider, model, tools = [], system, quota = million, allowCredentials = false } = options;
  const isRehearsal = provider === "rehearsal";
  const given = model === undefined ? [] : typeof model === "string" ? [model] : [...model];
  const models = isRehearsal && given.length === 0 ? [rehearsalModel] : [...given];
  if (!isRehearsal && typeof provider !== "object" && !isProviderName(provider))
    throw invalid(`ai.provider "${String(provider)}" is none of ${providerNames}, rehearsal.`);
  if (!isRehearsal && (models.length === 0 || models.includes("")))
    throw invalid("ai.model must name the models that may be asked for, or the only one.");
  checkKeys(options);
  const mask = createMask(options);
  const own = mask.noting(options);
  const { maxTokens = 8192, maxToolRoundtrips = 10 } = options;
  checkWhole("ai.maxTokens", maxTokens, 1);
  checkWhole("ai.maxToolRoundtrips", maxToolRoundtrips, 0);
  if (typeof quota === "number" && !(quota >= 0)) throw invalid("ai.quota must be a number of tokens, zero or more.");
  if (typeof tools !== "function") checkTools(tools);
  return {
    isRehearsal,
    provider: isRehearsal ? rehearsalProvider : provider,
    models,
    choose: (chosen) => models.splice(0, models.length, chosen, ...given.filter((one) => one !== chosen)),
    apiKey: options.apiKey,
    baseUrl: options.baseUrl,
    fetch: isRehearsal ? rehearsalFetch : options.fetch,
    maxTokens,
    maxToolRoundtrips,
    allowSystem: options.allowSystem ?? false,
    mask: mask.text,
    foreignBaseUrls:
      typeof allowCredentials === "object" ? allowCredentials.baseUrls : allowCredentials ? [] : undefined,
    fixedFor: (baseUrl) => fixedOf(own, baseUrl !== undefined && baseUrl !== options.baseUrl),
    systemFor: (principal) => (typeof system === "function" ? system(principal) : system),
    toolsFor: (principal) => (typeof tools === "function" ? tools(principal) : tools),
    quotaFor: (principal) => (typeof quota === "function" ? quota(principal) : quota),
  };
}

function fixedOf(options: AiOptions, isElsewhere: boolean): Partial<AiRequestOptions> {
  const {
    apiKey,
    getApiKey,
    baseUrl,
    apiVersion,
    headers,
    body,
    retries,
    toolTimeout,
    streamOptions = "always",
  } = options;
  const secrets = isElsewhere ? {} : { apiKey, getApiKey, baseUrl, apiVersion, headers, body };
  // Without prices the model and the tokens are stored with an answer all the same.
  const given = { ...secrets, retries, toolTimeout, streamOptions, prices: (options.prices ?? true) || {} };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Shorter values are not masked: they are not secrets, and would match in ordinary text. */
const shortestSecret = 8;

/** Keys that `getApiKey` gave last: an error may be about an earlier one, or about that of another tenant. */
const notedKeys = 64;

function createMask({ apiKey = "", headers = {}, baseUrl = "" }: AiOptions) {
  const host = parseUrl(baseUrl)?.host ?? "";
  const values = Object.values(headers).filter(({ length }) => length >= shortestSecret);
  const fixed = [...secretsIn(apiKey), host, host.replace(/:\d+$/, ""), ...values].filter((secret) => secret !== "");
  /** The last one first. */
  let noted: readonly string[] = [];
  const secrets = () => [...noted.flatMap(secretsIn), ...fixed];
  return {
    text: (text: string) => secrets().reduce((rest, secret) => rest.replaceAll(secret, "…"), text),
    /** The options, whose keys are masked from when they are given. */
    noting({ getApiKey, ...options }: AiOptions): AiOptions {
      if (!getApiKey) return options;
      const get = async (refused?: string) => {
        const key = await getApiKey(refused);
        if (typeof key === "string" && key !== "")
          noted = [key, ...noted.filter((one) => one !== key)].slice(0, notedKeys);
        return key;
      };
      return { ...options, getApiKey: get };
    },
  };
}

/** Credentials for AWS are several values in one. */
function secretsIn(apiKey: string): string[] {
  return [apiKey, ...apiKey.split(":").filter(({ length }) => length >= shortestSecret)];
}

function checkWhole(name: string, value: number, min: number): void {
  if (Number.isInteger(value) && value >= min) return;
  throw invalid(`${name} must be a whole number of at least ${min}, not ${value}.`);
}

function checkKeys({ apiKey, getApiKey }: AiOptions): void {
  if (getApiKey === undefined) return;
  if (typeof getApiKey !== "function") throw invalid(`ai.getApiKey must be a function, not ${typeof getApiKey}.`);
  if (apiKey !== undefined) throw invalid("ai.apiKey and ai.getApiKey exclude each other: give one of them.");
}

function checkTools(tools: readonly HubTool[]): void {
  const names = new Set<string>();
  for (const tool of tools) {
    if (tool === "page") continue;
    if (!tool.handler) throw invalid(`The tool "${tool.name}" of ai.tools has no handler.`);
    if (names.has(tool.name)) throw invalid(`ai.tools has two tools named "${tool.name}".`);
    names.add(tool.name);
  }
}

function invalid(message: string): PagewireError {
  return new PagewireError("options-invalid", message);
}
