// Helpers that all providers' requests share.
import { isPlain, wrong } from "../check.ts";
import type { AiProviderRequest } from "../provider.ts";
import type { AiMessage, AiRequestOptions, AiTool, AiContentImagePart } from "../types.ts";

interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: object;
}

export function post(options: AiRequestOptions, { url, headers, body }: Post): AiProviderRequest {
  const sent: Record<string, string> = {};
  const names: Record<string, string> = {};
  for (const [name, value] of Object.entries({ "Content-Type": "application/json", ...headers, ...options.headers })) {
    // fetch would send both of two names that differ in case.
    delete sent[names[name.toLowerCase()] ?? ""];
    names[name.toLowerCase()] = name;
    if (value) sent[name] = value;
  }
  return { url, headers: sent, body: JSON.stringify(merge(body, options.body ?? {})) };
}

function merge(below: object, above: object): object {
  const merged: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const old = merged[name];
    merged[name] = isPlain(old) && isPlain(value) ? merge(old, value) : value;
  }
  return merged;
}

/**
 * The address of an API's endpoint, by one rule: a base URL that ends in the endpoint's path is the whole address; one with
 * a version (`/v1`, `/v4`, `/v1beta`) in it is completed by the path without its own, any other by the path. Its query stays.
 */
export function endpointOf(baseUrl: string, path: string): string {
  const found = /^([\w-]+:\/\/[^/?].*?|[^:]*?)\/*(\?.*)?$/s.exec(baseUrl.trim() || ":");
  if (!found) throw wrong("baseUrl", "an address", baseUrl);
  const [, base = "", query = ""] = found;
  const end = path.replace(/^\/v\d\w*/, "");
  const url = base.endsWith(end) ? base : base + (/(?<!\/)\/v\d\w*(\/|$)/.test(base) ? end : path);
  return url + (url.includes("?") ? query.replace("?", "&") : query);
}

/** The tools, with each source replaced by its tools. Undefined if there are none. */
export function toolsOf<Wire>({ tools }: AiRequestOptions, toWire: (tool: AiTool) => Wire): Wire[] | undefined {
  const list = Array.isArray(tools) ? tools.filter((tool): tool is AiTool => isPlain(tool)).map(toWire) : [];
  return list[0] && list;
}

/** Throws for options that the provider's API does not have, rather than dropping them. */
export function refuse(provider: string, options: AiRequestOptions, ...names: (keyof AiRequestOptions)[]): void {
  const name = names.find((each) => options[each] !== undefined);
  if (name) throw new Error(`The provider ${provider} has no ${name}; leave it out.`);
}

/** The messages with the options' system text before them. */
export function withSystem(messages: readonly AiMessage[], { system }: AiRequestOptions): readonly AiMessage[] {
  return system ? [{ role: "system", content: system }, ...messages] : messages;
}

/** The bytes in a data: URL; undefined for other URLs. Throws if it has no media type, or is not base64. */
export function inlineImage({ url, mediaType }: AiContentImagePart): { type: string; data: string } | undefined {
  const [head, named] = /^data:([^;,]*)(?:;[^,]*)?;base64,/i.exec(url) ?? [];
  const type = mediaType || named;
  if (head && type) return { type, data: url.slice(head.length) };
  if (!/^data:/i.test(url)) return undefined;
  throw new Error(`An image needs data:<type>;base64,<bytes>, not ${url.slice(0, 40)}…`);
}

interface Turn {
  readonly role: "user" | "assistant";
  readonly parts: object[];
}

/**
 * For APIs where a turn is the user's or the model's: the results of one turn's calls are one turn of the user's. A message
 * without parts is left out: these APIs refuse empty ones.
 */
export function turnsOf(messages: readonly AiMessage[], partsOf: (message: AiMessage) => readonly object[]): Turn[] {
  const turns: Turn[] = [];
  let before: string | undefined;
  for (const message of messages) {
    const { role } = message;
    const parts = role === "system" ? [] : partsOf(message);
    if (parts.length === 0) continue;
    if (role === "tool" && before === role) turns.at(-1)?.parts.push(...parts);
    else turns.push({ role: role === "assistant" ? role : "user", parts: [...parts] });
    before = role;
  }
  return turns;
}
