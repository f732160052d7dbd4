import type { IncomingMessage } from "node:http";
import { PagewireError, commandLineClientPath } from "../../wire/index.ts";
import { pathOf } from "./exchange.ts";

/**
 * The clients that may use a route: everyone; the hub's own pages; pages that offer tools; agents that call them; pages and agents;
 * the programs in a terminal; clients that may open a terminal, which on a socket authenticate in their first frame; the
 * hub's owner, who changes its rules; agents, among whom the user in person is marked; those who govern an organisation;
 * everyone's browsers on their way to an identity provider and back, and the provider itself; or agents,
 * and pages of apps that the hub allows. The door of the last two checks them.
 */
export type Access =
  | "public"
  | "own"
  | "page"
  | "agent"
  | "either"
  | "terminal"
  | "shell"
  | "owner"
  | "person"
  | "admin"
  | "visitor"
  | "app";

type ServedBySocket = "page" | "agent" | "core" | "window" | "shell";
export type ServedByRequest =
  | "files"
  | "health"
  | "readiness"
  | "metrics"
  | "proof"
  | "resource"
  | "call"
  | "mcp"
  | "own"
  | "sign-in"
  | "read"
  | "rules"
  | "model"
  | "waits"
  | "team"
  | "window-tools"
  | "delegate"
  | "terminals"
  | "shells";

interface AnyRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE" | "OPTIONS";
  /** A path; with a trailing `*`, everything below it. */
  readonly path: string;
  readonly access: Access;
}

interface RequestRoute extends AnyRoute {
  readonly isUpgrade?: undefined;
  readonly serves: ServedByRequest;
}

interface SocketRoute extends AnyRoute {
  readonly isUpgrade: true;
  readonly serves: ServedBySocket;
}

/** One endpoint of the hub. The table is complete: nothing else is served. */
export type Route = RequestRoute | SocketRoute;

/** The endpoint for conversations with a model. */
export const corePath = "/ai-agent";

/** The prefix of agents' windows' sockets, for calls of their parents' tools. */
export const windowPath = "/ws/parent-window/";

/** The endpoint for terminal views. */
const shellPath = "/ws/terminal";

/** The endpoints for programs in a terminal that ask its tab to act. */
const delegatePaths = ["/api/browser-delegate", "/api/v1/browser-delegate"];

/** Whether a path is one of these, or below one. */
export function isDelegatePath(path: string): boolean {
  return delegatePaths.some((each) => path === each || path.startsWith(`${each}/`));
}

export const routes: readonly Route[] = [
  { method: "GET", path: "/", access: "public", serves: "files" },
  { method: "GET", path: "/pagewire.js", access: "public", serves: "files" },
  { method: "GET", path: "/agent/*", access: "public", serves: "files" },
  { method: "GET", path: "/ai-agent.js", access: "public", serves: "files" },
  { method: "GET", path: "/ai-chat.js", access: "public", serves: "files" },
  { method: "GET", path: "/agent-window.js", access: "public", serves: "files" },
  { method: "GET", path: "/actions.js", access: "public", serves: "files" },
  { method: "GET", path: "/terminal.js", access: "public", serves: "files" },
  { method: "GET", path: "/webmcp.js", access: "public", serves: "files" },
  { method: "GET", path: "/webmcp-polyfill.js", access: "public", serves: "files" },
  { method: "GET", path: "/console", access: "public", serves: "files" },
  { method: "GET", path: "/console/*", access: "public", serves: "files" },
  { method: "GET", path: "/terminal", access: "public", serves: "files" },
  { method: "GET", path: "/terminal/*", access: "public", serves: "files" },
  { method: "GET", path: "/pagewire/*", access: "public", serves: "files" },
  { method: "GET", path: "/pagewire-worker.js", access: "public", serves: "files" },
  { method: "GET", path: "/pagewire-service-worker.js", access: "public", serves: "files" },
  { method: "GET", path: "/pagewire-serving-worker.js", access: "public", serves: "files" },
  { method: "GET", path: "/pagewire-serving-service-worker.js", access: "public", serves: "files" },
  { method: "GET", path: "/demo", access: "public", serves: "files" },
  { method: "GET", path: "/demo/*", access: "public", serves: "files" },
  { method: "GET", path: "/healthz", access: "public", serves: "health" },
  // Programs written for the other project's bridge check here whether there is one.
  { method: "GET", path: "/health", access: "public", serves: "health" },
  { method: "GET", path: "/readyz", access: "public", serves: "readiness" },
  { method: "GET", path: "/api/proof", access: "public", serves: "proof" },
  // Of the protected resource that the hub is in team mode (RFC 9728).
  { method: "GET", path: "/.well-known/oauth-protected-resource", access: "public", serves: "resource" },
  { method: "GET", path: "/.well-known/oauth-protected-resource/*", access: "public", serves: "resource" },
  { method: "GET", path: "/metrics", access: "agent", serves: "metrics" },
  { method: "POST", path: "/api/call/*", access: "agent", serves: "call" },
  { method: "POST", path: "/api/codes", access: "agent", serves: "own" },
  { method: "POST", path: "/api/owner-codes", access: "owner", serves: "own" },
  { method: "POST", path: "/api/browser-codes", access: "person", serves: "own" },
  { method: "GET", path: "/api/browsers", access: "agent", serves: "own" },
  { method: "DELETE", path: "/api/browsers/*", access: "agent", serves: "own" },
  { method: "POST", path: "/api/sign-in", access: "own", serves: "own" },
  { method: "GET", path: "/api/sign-in", access: "public", serves: "sign-in" },
  { method: "GET", path: "/sign-in", access: "visitor", serves: "sign-in" },
  { method: "GET", path: "/sign-in/callback", access: "visitor", serves: "sign-in" },
  { method: "GET", path: "/sign-in/callback/*", access: "visitor", serves: "sign-in" },
  { method: "POST", path: "/sign-in/back-channel", access: "visitor", serves: "sign-in" },
  { method: "POST", path: "/api/session", access: "own", serves: "sign-in" },
  { method: "GET", path: "/api/sessions", access: "agent", serves: "sign-in" },
  { method: "DELETE", path: "/api/sessions/*", access: "agent", serves: "sign-in" },
  { method: "POST", path: "/api/challenge", access: "own", serves: "own" },
  { method: "POST", path: "/api/sign-out", access: "agent", serves: "own" },
  { method: "GET", path: "/api/app", access: "agent", serves: "own" },
  { method: "GET", path: "/api/conversations", access: "agent", serves: "own" },
  { method: "DELETE", path: "/api/conversations/*", access: "agent", serves: "own" },
  { method: "GET", path: "/api/consents", access: "agent", serves: "own" },
  { method: "DELETE", path: "/api/consents/*", access: "agent", serves: "own" },
  { method: "GET", path: "/api/pins", access: "agent", serves: "own" },
  { method: "POST", path: "/api/pins/*", access: "agent", serves: "own" },
  { method: "GET", path: "/api/status", access: "agent", serves: "read" },
  { method: "GET", path: "/api/tabs", access: "agent", serves: "read" },
  { method: "POST", path: "/api/tabs/*", access: "agent", serves: "read" },
  { method: "GET", path: "/api/agents", access: "agent", serves: "read" },
  { method: "GET", path: "/api/calls", access: "agent", serves: "read" },
  { method: "GET", path: "/api/calls/stream", access: "agent", serves: "read" },
  { method: "GET", path: "/api/calls/summary", access: "agent", serves: "read" },
  { method: "GET", path: "/api/calls/*", access: "agent", serves: "read" },
  { method: "GET", path: "/api/clients", access: "agent", serves: "read" },
  { method: "GET", path: "/api/policy", access: "agent", serves: "rules" },
  { method: "POST", path: "/api/policy/test", access: "agent", serves: "rules" },
  { method: "PUT", path: "/api/policy", access: "owner", serves: "rules" },
  { method: "DELETE", path: "/api/policy", access: "owner", serves: "rules" },
  { method: "GET", path: "/api/origins", access: "agent", serves: "rules" },
  { method: "POST", path: "/api/origins", access: "owner", serves: "rules" },
  { method: "DELETE", path: "/api/origins/*", access: "owner", serves: "rules" },
  { method: "GET", path: "/api/model", access: "agent", serves: "model" },
  { method: "GET", path: "/api/models", access: "agent", serves: "model" },
  { method: "GET", path: "/api/quota", access: "agent", serves: "model" },
  { method: "POST", path: "/api/model/test", access: "agent", serves: "model" },
  { method: "PUT", path: "/api/model", access: "owner", serves: "model" },
  { method: "GET", path: "/api/waits", access: "person", serves: "waits" },
  { method: "GET", path: "/api/waits/stream", access: "person", serves: "waits" },
  { method: "GET", path: "/api/waits/*", access: "person", serves: "waits" },
  { method: "POST", path: "/api/waits/*", access: "person", serves: "waits" },
  { method: "OPTIONS", path: "/api/page-tokens", access: "app", serves: "team" },
  { method: "POST", path: "/api/page-tokens", access: "app", serves: "team" },
  { method: "GET", path: commandLineClientPath, access: "public", serves: "team" },
  { method: "GET", path: "/api/team/me", access: "agent", serves: "team" },
  { method: "GET", path: "/api/keys", access: "agent", serves: "team" },
  { method: "POST", path: "/api/keys", access: "agent", serves: "team" },
  { method: "DELETE", path: "/api/keys/*", access: "agent", serves: "team" },
  { method: "GET", path: "/api/team/people", access: "admin", serves: "team" },
  { method: "POST", path: "/api/team/people/*", access: "admin", serves: "team" },
  { method: "DELETE", path: "/api/team/people/*", access: "admin", serves: "team" },
  { method: "GET", path: "/api/team/sessions", access: "admin", serves: "team" },
  { method: "DELETE", path: "/api/team/sessions/*", access: "admin", serves: "team" },
  { method: "GET", path: "/api/team/services", access: "admin", serves: "team" },
  { method: "POST", path: "/api/team/services", access: "admin", serves: "team" },
  { method: "POST", path: "/api/team/services/*", access: "admin", serves: "team" },
  { method: "DELETE", path: "/api/team/services/*", access: "admin", serves: "team" },
  { method: "GET", path: "/api/team/model", access: "admin", serves: "team" },
  { method: "PUT", path: "/api/team/model", access: "admin", serves: "team" },
  { method: "DELETE", path: "/api/team/model", access: "admin", serves: "team" },
  { method: "GET", path: "/api/team/quotas", access: "admin", serves: "team" },
  { method: "PUT", path: "/api/team/quotas", access: "admin", serves: "team" },
  { method: "GET", path: "/api/team/use", access: "admin", serves: "team" },
  { method: "GET", path: "/api/team/policy", access: "admin", serves: "team" },
  { method: "PUT", path: "/api/team/policy", access: "admin", serves: "team" },
  { method: "DELETE", path: "/api/team/policy", access: "admin", serves: "team" },
  { method: "POST", path: "/api/team/policy/test", access: "admin", serves: "team" },
  { method: "GET", path: "/api/team/budgets", access: "admin", serves: "team" },
  { method: "PUT", path: "/api/team/budgets", access: "admin", serves: "team" },
  { method: "GET", path: "/api/team/audit", access: "admin", serves: "team" },
  { method: "GET", path: "/api/team/audit/stream", access: "admin", serves: "team" },
  { method: "GET", path: "/api/team/calls/*", access: "admin", serves: "team" },
  { method: "GET", path: "/api/team/pins/*", access: "admin", serves: "team" },
  { method: "POST", path: "/api/team/pins/*", access: "admin", serves: "team" },
  { method: "GET", path: "/api/team/consents/*", access: "admin", serves: "team" },
  { method: "DELETE", path: "/api/team/consents/*", access: "admin", serves: "team" },
  { method: "POST", path: "/api/parent-window/tools", access: "agent", serves: "window-tools" },
  { method: "POST", path: "/api/browser-delegate", access: "terminal", serves: "delegate" },
  { method: "POST", path: "/api/browser-delegate/stream", access: "terminal", serves: "delegate" },
  { method: "GET", path: "/api/browser-delegate/actions", access: "terminal", serves: "delegate" },
  { method: "POST", path: "/api/v1/browser-delegate", access: "terminal", serves: "delegate" },
  { method: "POST", path: "/api/v1/browser-delegate/stream", access: "terminal", serves: "delegate" },
  { method: "GET", path: "/api/v1/browser-delegate/actions", access: "terminal", serves: "delegate" },
  { method: "POST", path: "/api/shell-codes", access: "shell", serves: "own" },
  { method: "GET", path: "/api/shells", access: "shell", serves: "shells" },
  { method: "POST", path: "/api/shells", access: "shell", serves: "shells" },
  { method: "DELETE", path: "/api/shells/*", access: "shell", serves: "shells" },
  { method: "POST", path: "/api/terminals", access: "agent", serves: "terminals" },
  { method: "POST", path: "/api/terminals/*", access: "agent", serves: "terminals" },
  { method: "DELETE", path: "/api/terminals/*", access: "agent", serves: "terminals" },
  { method: "POST", path: "/mcp", access: "agent", serves: "mcp" },
  { method: "GET", path: "/mcp", access: "agent", serves: "mcp" },
  { method: "DELETE", path: "/mcp", access: "agent", serves: "mcp" },
  { method: "POST", path: "/mcp/tabs/*", access: "agent", serves: "mcp" },
  { method: "GET", path: "/mcp/tabs/*", access: "agent", serves: "mcp" },
  { method: "DELETE", path: "/mcp/tabs/*", access: "agent", serves: "mcp" },
  { method: "GET", path: "/page", access: "page", isUpgrade: true, serves: "page" },
  { method: "GET", path: "/agent", access: "agent", isUpgrade: true, serves: "agent" },
  { method: "GET", path: corePath, access: "either", isUpgrade: true, serves: "core" },
  { method: "GET", path: `${windowPath}*`, access: "agent", isUpgrade: true, serves: "window" },
  { method: "GET", path: shellPath, access: "shell", isUpgrade: true, serves: "shell" },
];

/** The route of a request; throws a named error if there is none. */
export const findRoute = finderIn(routes.filter((route) => !route.isUpgrade));

export const findUpgrade = finderIn(routes.filter((route) => route.isUpgrade === true));

function finderIn<Kind extends Route>(all: readonly Kind[]): (request: IncomingMessage) => Kind {
  const byPath = new Map<string, Kind[]>();
  for (const route of all) byPath.set(route.path, [...(byPath.get(route.path) ?? []), route]);
  const longest = Math.max(...all.map(({ path }) => path.length));

  return (request) => {
    const path = pathOf(request);
    const method = request.method === "HEAD" ? "GET" : request.method;
    // The routes of the path, or of the nearest folder above it that ends with a wildcard.
    let there = path.endsWith("*") ? undefined : byPath.get(path);
    for (let end = path.lastIndexOf("/", longest); !there && end > 0; end = path.lastIndexOf("/", end - 1)) {
      there = byPath.get(`${path.slice(0, end)}/*`);
    }
    for (const route of there ?? []) if (route.method === method) return route;
    if (there) throw new PagewireError("method-not-allowed", `${path} does not answer to ${String(request.method)}.`);
    throw new PagewireError("route-not-found", `There is nothing at ${path}.`);
  };
}
