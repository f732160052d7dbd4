// Parses the request of a page or program to the model, within the limits that the hub's owner sets.
import type { AiRequestOptions, NeedsApproval, AiToolDecision, AiMessage, AiTool } from "../../../ai/index.ts";
import { PagewireError, isJsonObject } from "../../../wire/index.ts";
import type { Limits } from "../../../wire/index.ts";
import type { ResolvedAi, HubTool } from "../../options/ai-options.ts";
import { isOrigin } from "../../common/is-origin.ts";
import { isDeepStrictEqual } from "node:util";
import type { PageTool } from "./page-tools.ts";

/** The requested tools: all of the server's or the named ones, and whether the page's are included. */
export interface ToolWish {
  readonly named: readonly NamedTool[] | undefined;
  readonly wantsPage: boolean;
}

export interface NamedTool {
  readonly name: string;
  /** Whether the client wants a question even if the server needs none. */
  readonly needsApproval: NeedsApproval;
}

export interface RequestRules extends Pick<Limits, "schemaBytes"> {
  /** Whether the request is from a page, not from a program or one of the hub's own pages. */
  readonly isPage: boolean;
  /** Whether it is from the hub's owner, who may ask for any model. */
  readonly isOwner: boolean;
}

/** A model's name. */
export const modelForm = /^[\x21-\x7e]{1,200}$/;

/** No model accepts more. */
const mostTools = 1024;

export interface CoreRequest {
  /** Everything except the tools and the default credentials. */
  readonly options: Partial<AiRequestOptions> & Pick<AiRequestOptions, "model">;
  readonly tools: ToolWish;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string" && value.length <= 1024;
const isNumber: Check = (value) => Number.isFinite(value);
const isOneOf =
  (words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value);

/** Options that are passed through if they have the right form. */
const taken: Readonly<Record<string, Check>> = {
  stream: (value) => typeof value === "boolean",
  temperature: isNumber,
  topP: isNumber,
  seed: (value) => Number.isInteger(value),
  stop: (value) => Array.isArray(value) && value.length <= 16 && value.every(isText),
  toolChoice: (value) => isOneOf(["auto", "none", "required"])(value) || (isJsonObject(value) && isText(value["name"])),
  responseSchema: isJsonObject,
  responseSchemaName: isText,
  onFailure: isOneOf(["rollback", "keep"]),
  reasoning: isJsonObject,
  from: isOrigin,
};

/** Options that only the hub's owner can set. */
const ownersOwn: readonly string[] = [
  ...["headers", "body", "fetch", "signal", "mcp", "retries", "toolTimeout", "approve", "streamOptions"],
  ...["apiKey", "getApiKey", "baseUrl", "apiVersion", "system", "prices", "keepModel"],
];

export function readRequest(
  given: unknown,
  ai: ResolvedAi,
  { schemaBytes, isPage, isOwner }: RequestRules,
): CoreRequest {
  const asked = fieldsOf(given);
  if (isPage && "from" in asked) throw refused('"from" is not for pages to say. Send the request without it.');
  const { model, tools, maxTokens, maxToolRoundtrips, ...rest } = asked;
  const options: Record<string, unknown> = { ...credentialsOf(asked, ai), ...systemOf(asked, ai) };
  for (const [name, value] of Object.entries(rest)) {
    const accepts = Object.hasOwn(taken, name) ? taken[name] : undefined;
    if (accepts?.(value)) options[name] = value;
    else if (accepts) throw refused(`The option "${name}" has the wrong form.`);
    else if (!Object.hasOwn(options, name)) throw refused(whyNot(name));
  }
  if (JSON.stringify(options["responseSchema"] ?? {}).length > schemaBytes)
    throw refused(`The responseSchema is larger than the limit schemaBytes of ${schemaBytes} bytes.`);
  return {
    options: {
      ...options,
      ...checkReasoning(options["reasoning"], ai.maxTokens),
      model: modelOf(model, ai, isOwner),
      ...(model !== undefined && { keepModel: true }),
      maxTokens: within("maxTokens", maxTokens, ai.maxTokens),
      maxToolRoundtrips: within("maxToolRoundtrips", maxToolRoundtrips, ai.maxToolRoundtrips),
    },
    tools: toolsOf(tools, asked["responseSchema"] !== undefined),
  };
}

/** The fields that are set: clients send unset ones as null or an empty text. */
function fieldsOf(given: unknown): Readonly<Record<string, unknown>> {
  if (given === undefined || given === null) return {};
  if (!isJsonObject(given)) throw refused("The options of a request must be an object.");
  return Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => value !== null && value !== "" && !(name === "streamOptions" && value === "auto"),
    ),
  );
}

function whyNot(name: string): string {
  return ownersOwn.includes(name)
    ? `"${name}" is the server's to decide. Send the request without it.`
    : `There is no option "${name.slice(0, 64)}".`;
}

function modelOf(asked: unknown, { models, isRehearsal }: ResolvedAi, isOwner: boolean): string {
  const [first = ""] = models;
  if (asked === undefined || (isRehearsal && typeof asked === "string")) return first;
  if (typeof asked === "string" && (models.includes(asked) || (isOwner && modelForm.test(asked)))) return asked;
  throw refused(
    `The model ${JSON.stringify(asked).slice(0, 256)} is not allowed here. Ask for ${models.join(" or ")}.`,
  );
}

function within(name: string, asked: unknown, max: number): number {
  if (asked === undefined) return max;
  if (Number.isInteger(asked) && (asked as number) >= 0 && (asked as number) <= max) return asked as number;
  throw refused(`${name} must be a whole number of at most ${max} here, not ${JSON.stringify(asked)}.`);
}

function checkReasoning(asked: unknown, max: number): Pick<AiRequestOptions, "reasoning"> {
  if (!isJsonObject(asked)) return {};
  const { effort, budgetTokens, ...rest } = asked;
  const [other] = Object.keys(rest);
  if (other !== undefined) throw refused(`There is no option "reasoning.${other.slice(0, 64)}".`);
  if (effort !== undefined && !isOneOf(["minimal", "low", "medium", "high"])(effort))
    throw refused('The option "reasoning.effort" has the wrong form.');
  if (budgetTokens !== undefined) within("reasoning.budgetTokens", budgetTokens, max);
  return { reasoning: asked };
}

/** The client's own key, if it may use one. The server's key is never sent to an address that the client chose. */
function credentialsOf(
  asked: Readonly<Record<string, unknown>>,
  { foreignBaseUrls, baseUrl: own }: ResolvedAi,
): object {
  const { apiKey, baseUrl, apiVersion } = asked;
  if (foreignBaseUrls === undefined || (apiKey ?? baseUrl ?? apiVersion) === undefined) return {};
  if (typeof apiKey !== "string" || apiKey.length > 8192)
    throw refused('The option "apiKey" must come with a base URL or version.');
  if (baseUrl !== undefined && baseUrl !== own && !foreignBaseUrls.includes(baseUrl as string))
    throw refused("This base URL is not one that the server allows. Send the request without it.");
  if (apiVersion !== undefined && !isText(apiVersion)) throw refused('The option "apiVersion" has the wrong form.');
  return { apiKey, ...(baseUrl === undefined ? {} : { baseUrl }), ...(apiVersion === undefined ? {} : { apiVersion }) };
}

function systemOf({ system }: Readonly<Record<string, unknown>>, { allowSystem }: ResolvedAi): object {
  if (system === undefined || !allowSystem) return {};
  if (typeof system !== "string") throw refused('The option "system" has the wrong form.');
  return { system };
}

/** A client declares tools in the same way as for a local core; only their names matter here. */
function toolsOf(asked: unknown, hasSchema: boolean): ToolWish {
  if (asked === undefined) return { named: hasSchema ? [] : undefined, wantsPage: false };
  const list: readonly unknown[] = Array.isArray(asked) ? asked : [asked];
  if (list.length > mostTools) throw refused(`A request can name at most ${mostTools} tools.`);
  const declared = list.filter((tool) => tool !== "page");
  const named = declared.map((tool): NamedTool => {
    const { name, needsApproval } = isJsonObject(tool) ? tool : {};
    const need = needsApproval === "each-call" ? needsApproval : needsApproval === true;
    if (typeof name === "string" && name.length <= 256) return { name, needsApproval: need };
    throw refused('The option "tools" must be a list of tools with names, or "page".');
  });
  return { named, wantsPage: declared.length < list.length };
}

function refused(message: string): PagewireError {
  return new PagewireError("option-refused", message);
}

/** Whether a decision lets the call run. */
export function isApproval(decision: AiToolDecision): boolean {
  return typeof decision === "boolean" ? decision : decision.approved;
}

/** Parses a client's decision about a tool call. */
export function readDecision(given: unknown): AiToolDecision {
  if (typeof given === "boolean") return given;
  const { approved, scope } = isJsonObject(given) ? given : {};
  if (approved === true && (scope === "session" || scope === "always")) return { approved, scope };
  if (approved === false && scope === "always") return { approved, scope };
  if (typeof approved === "boolean") return approved;
  throw new PagewireError("option-refused", "A decision about a tool call is true, false, or an object with approved.");
}

export function checkPrompt(prompt: unknown, { promptBytes }: Pick<Limits, "promptBytes">): void {
  if (Buffer.byteLength(JSON.stringify(prompt ?? "")) <= promptBytes) return;
  throw new PagewireError("option-refused", `The prompt is larger than the limit promptBytes of ${promptBytes} bytes.`);
}

/** Refuses any history that is not a prefix of the server's own (possibly empty or complete). */
export function checkCut(given: unknown, own: readonly AiMessage[]): asserts given is AiMessage[] {
  if (!Array.isArray(given)) throw historyRefused("The messages must be a list.");
  const messages: readonly unknown[] = given;
  if (messages.length > own.length) throw historyRefused(`There are ${own.length} messages, not ${messages.length}.`);
  const other = messages.findIndex((message, at) => !isDeepStrictEqual(message, plain(own[at])));
  if (other >= 0) throw historyRefused(`Message ${other} is another one here.`);
}

/** The value as JSON, for comparison. */
function plain(message: AiMessage | undefined): unknown {
  return JSON.parse(JSON.stringify(message));
}

function historyRefused(why: string): PagewireError {
  const message = `The history is the server's: it can be cut back to its first messages, or emptied, but not written. ${why}`;
  return new PagewireError("option-refused", message);
}

export interface ToolOffer {
  /** The server's tools for this principal. */
  readonly server: readonly HubTool[];
  /** The page's tools; only computed if they are wanted. */
  readonly page: () => readonly PageTool[];
}

/** The tools of one request. A request selects tools by name; it cannot change what a tool is or does. */
export function chooseTools({ named, wantsPage }: ToolWish, { server, page }: ToolOffer): readonly PageTool[] {
  const own = server.filter((tool) => tool !== "page");
  const isPageGiven = own.length < server.length;
  const taken = new Set(own.map(({ name }) => name));
  const pages = wantsPage || isPageGiven ? page().filter(({ name }) => !taken.has(name)) : [];
  const all: readonly PageTool[] = [...own, ...pages];
  if (named === undefined) return all;
  const chosen = new Map<string, PageTool>(wantsPage ? pages.map((tool) => [tool.name, tool]) : []);
  for (const { name, needsApproval } of named) {
    const tool = all.find((one) => one.name === name);
    if (!tool) throw unknown(name, all);
    const isStricter = needsApproval !== false && tool.needsApproval !== "each-call";
    chosen.set(name, isStricter ? { ...tool, needsApproval } : tool);
  }
  return [...chosen.values()];
}

function unknown(name: string, all: readonly AiTool[]): PagewireError {
  const there = all.length === 0 ? "It has none" : `It has ${all.map((tool) => tool.name).join(", ")}`;
  const message = `The server has no tool "${name}" for this request. ${there.slice(0, 500)}.`;
  return new PagewireError("option-refused", message);
}
