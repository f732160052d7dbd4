// The hub owner's options for its model. Neither pages nor programs can change them.
import type { AiProviderName, AiRequestOptions, AiTool, IAiProvider } from "../../ai/index.ts";
import { PagewireError, parseUrl } from "../../wire/index.ts";
import { rehearsalFetch, rehearsalProvider } from "../rehearsal/rehearsal-provider.ts";

/** A tool of the server's own; `"page"` stands for all that the page offers through `connectPage`. */
export type HubTool = AiTool | "page";

export interface AiOptions {
  /** An API by name, a provider of your own, or `rehearsal`: the built-in model that needs no key. */
  readonly provider: AiProviderName | "rehearsal" | IAiProvider;
  /** The models that may be asked for. Whoever asks for none is given the first. */
  readonly model?: string | readonly string[];
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly apiVersion?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of the provider's own request, merged over the built one. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly fetch?: typeof fetch;
  readonly retries?: AiRequestOptions["retries"];
  /** Whether usage is asked for while an answer streams; always, unless an OpenAI-compatible server does not know how. */
  readonly streamOptions?: AiRequestOptions["streamOptions"];
  readonly system?: string | ((principal: string) => string);
  /**
   * The tools that the model may use, with their handlers. A request can only narrow them, by name; one that asks for
   * `"page"` is given its own page's tools, too.
   */
  readonly tools?: readonly HubTool[] | ((principal: string) => readonly HubTool[]);
  /** Milliseconds that a tool may take; 60 000 by default. */
  readonly toolTimeout?: number;
  /** The most tokens of one answer, and how many a request has that asks for none: 8192 by default. */
  readonly maxTokens?: number;
  /** The most rounds of tools before an answer, and how many a request has that asks for none: 10 by default. */
  readonly maxToolRoundtrips?: number;
  /** Tokens of one principal on one day (UTC): a million by default. `Infinity` for no quota. */
  readonly quota?: number | ((principal: string) => number);
  /** Takes a key that a request brings, in place of the server's; with a base URL of its own only if it is listed here. */
  readonly allowCredentials?: boolean | { readonly baseUrls: readonly string[] };
  /** Takes a system text that a request brings, after the server's own. */
  readonly allowSystem?: boolean;
}

/** The options as the hub works with them. */
export interface ResolvedAi {
  readonly isRehearsal: boolean;
  readonly provider: AiProviderName | IAiProvider;
  /** Empty for the rehearsal: it plays every model. */
  readonly models: readonly string[];
  readonly apiKey: string | undefined;
  /** The server's own address of the provider, where it is not the provider's. */
  readonly baseUrl: string | undefined;
  readonly fetch: typeof fetch | undefined;
  readonly maxTokens: number;
  readonly maxToolRoundtrips: number;
  readonly allowSystem: boolean;
  /** A text without the server's key, the values of its headers, and its address. */
  mask(text: string): string;
  /** The base URLs that a request may bring beside a key of its own; undefined where it may bring no key. */
  readonly foreignBaseUrls: readonly string[] | undefined;
  /** What every request to the provider is made with. Only the server's own address gets its key and headers. */
  fixedFor(baseUrl: string | undefined): Partial<AiRequestOptions>;
  systemFor(principal: string): string | undefined;
  toolsFor(principal: string): readonly HubTool[];
  quotaFor(principal: string): number;
}

const providerNames: readonly unknown[] = [
  "openai",
  "openai-responses",
  "azure-openai",
  "anthropic",
  "google",
] satisfies AiProviderName[];

const million = 1_000_000;

/** The rehearsal goes by any name; this is the one that a request gets that names none. */
const rehearsalModel = "rehearsal";

export function resolveAiOptions(options: AiOptions): ResolvedAi {
  const { provider, model, tools = [], system, quota = million, allowCredentials = false } = options;
  const isRehearsal = provider === "rehearsal";
  const models = model === undefined ? [] : typeof model === "string" ? [model] : model;
  if (!isRehearsal && typeof provider !== "object" && !providerNames.includes(provider))
    throw invalid(`ai.provider "${String(provider)}" is none of ${providerNames.join(", ")}, rehearsal.`);
  if (!isRehearsal && (models.length === 0 || models.includes("")))
    throw invalid("ai.model must name the models that may be asked for, or the only one.");
  const { maxTokens = 8192, maxToolRoundtrips = 10 } = options;
  checkWhole("ai.maxTokens", maxTokens, 1);
  checkWhole("ai.maxToolRoundtrips", maxToolRoundtrips, 0);
  if (typeof quota === "number" && !(quota >= 0)) throw invalid("ai.quota must be a number of tokens, zero or more.");
  if (typeof tools !== "function") checkTools(tools);
  return {
    isRehearsal,
    provider: isRehearsal ? rehearsalProvider : provider,
    models: isRehearsal && models.length === 0 ? [rehearsalModel] : models,
    apiKey: options.apiKey,
    baseUrl: options.baseUrl,
    fetch: isRehearsal ? rehearsalFetch : options.fetch,
    maxTokens,
    maxToolRoundtrips,
    allowSystem: options.allowSystem ?? false,
    mask: createMask(options),
    foreignBaseUrls:
      typeof allowCredentials === "object" ? allowCredentials.baseUrls : allowCredentials ? [] : undefined,
    fixedFor: (baseUrl) => fixedOf(options, baseUrl !== undefined && baseUrl !== options.baseUrl),
    systemFor: (principal) => (typeof system === "function" ? system(principal) : system),
    toolsFor: (principal) => (typeof tools === "function" ? tools(principal) : tools),
    quotaFor: (principal) => (typeof quota === "function" ? quota(principal) : quota),
  };
}

function fixedOf(options: AiOptions, isElsewhere: boolean): Partial<AiRequestOptions> {
  const { apiKey, baseUrl, apiVersion, headers, body, retries, toolTimeout, streamOptions = "always" } = options;
  const secrets = isElsewhere ? {} : { apiKey, baseUrl, apiVersion, headers, body };
  const given = { ...secrets, retries, toolTimeout, streamOptions };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Shorter values are not masked: they are not secrets, and would match in ordinary text. */
const shortestSecret = 8;

function createMask({ apiKey, headers = {}, baseUrl = "" }: AiOptions): (text: string) => string {
  const host = parseUrl(baseUrl)?.host ?? "";
  const values = Object.values(headers).filter(({ length }) => length >= shortestSecret);
  const secrets = [apiKey ?? "", host, host.replace(/:\d+$/, ""), ...values].filter((secret) => secret !== "");
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
}

function checkWhole(name: string, value: number, least: number): void {
  if (Number.isInteger(value) && value >= least) return;
  throw invalid(`${name} must be a whole number of at least ${least}, not ${value}.`);
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
