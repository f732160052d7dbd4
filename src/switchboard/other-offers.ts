// Offers of pages besides tools: prompts, resources and completions.
import { PagewireError, isJsonObject, parseJsonObject, textOf } from "../wire/index.ts";
import type { Payload } from "../wire/index.ts";
import { listOf } from "./directory.ts";
import { createUpdates, exposeResources } from "./exposed-resources.ts";
import { choose, has, inTab, missing, notExposed } from "./route.ts";
import type { OtherRoutes, RoutedCall } from "./route.ts";
import type { CallRequest, Route, Tab } from "./types.ts";

function routePrompt(call: RoutedCall): Route {
  const { directory, request, named, bound } = call;
  const { prompts } = directory.exposure();
  const exposed = prompts.get(request.name);
  if (named) {
    const prompt = inTab(call, exposed, named.offer?.prompts.get(request.name));
    if (!prompt)
      throw missing("prompt", request.name, `Tab ${named.tabId} offers: ${listOf(named.offer?.prompts.keys())}`);
    return { tab: named, ...ownRequest(request, prompt.name) };
  }
  if (!exposed) throw notExposed("prompt", request.name, prompts);
  return { tab: choose(exposed.groups, bound), ...ownRequest(request, exposed.name) };
}

function routeResource({ directory, request, named, bound }: RoutedCall): Route {
  const { name, isOwnName } = request;
  const found = isOwnName ? [] : directory.exposure().findResource(name);
  const foundIn = (tab: Tab | undefined) => found.find(({ groups }) => tab && has(groups, tab));
  if (named) return { tab: named, ...ownRequest(request, foundIn(named)?.uri ?? name) };
  const meant = foundIn(bound) ?? found[0];
  if (!meant) throw new PagewireError("offer-not-found", `No open tab offers the resource "${name}".`);
  if (found.length > 1 && !foundIn(bound)) {
    const names = found.map(({ fullUri, app, origin }) => `${fullUri} (${app} at ${origin})`).join(", ");
    throw new PagewireError(
      "tool-ambiguous",
      `Several apps offer the resource "${name}". Use one of: ${names}; or name the tab.`,
    );
  }
  return { tab: choose(meant.groups, bound), ...ownRequest(request, meant.uri) };
}

/** The request with the page's own name in place of the listed one; a completion also has the name in its arguments. */
function ownRequest(
  { method, name: listed, arguments: given }: CallRequest,
  name: string,
): { readonly name: string; readonly arguments: Payload } {
  if (method !== "completion/complete" || name === listed) return { name, arguments: given };
  const parsed = parseJsonObject(textOf(given), 64);
  if (!isJsonObject(parsed?.["ref"])) return { name, arguments: given };
  const { ref } = parsed;
  const own = ref["type"] === "ref/prompt" ? { ...ref, name } : { ...ref, uri: name };
  return { name, arguments: JSON.stringify({ ...parsed, ref: own }) };
}

const routes: OtherRoutes = {
  "prompts/get": routePrompt,
  "completion/complete": (call) => (call.request.name.includes(":") ? routeResource(call) : routePrompt(call)),
  "resources/read": routeResource,
};

/** For a switchboard that offers more than tools. A separate module: a worker that serves only tools need not load it. */
export const otherOffers = { expose: exposeResources, createUpdates, routes };

export type OtherOffers = typeof otherOffers;
