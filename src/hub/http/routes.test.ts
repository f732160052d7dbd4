import { expect, test } from "vitest";
import { makeAssets } from "../test-support/assets.test-helper.ts";
import { pathAt } from "../guard/test-support/attempts.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { askRaw, upgradeLines } from "../test-support/raw.test-helper.ts";
import { routes } from "./routes.ts";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];

/** The status of a request, or of an upgrade, with a valid Host and the agents' token. */
async function statusOf(port: number, line: string, more: readonly string[] = []): Promise<number> {
  const lines = [`${line} HTTP/1.1`, `Host: 127.0.0.1:${port}`, "Authorization: Bearer agents-token-of-this-test"];
  const { status } = await askRaw(port, `${[...lines, ...more].join("\r\n")}\r\n\r\n`);
  return status;
}

test("H2: these are all the ways in", () => {
  expect(routes.map(({ method, path, access, isUpgrade }) => [isUpgrade ? "upgrade" : method, path, access])).toEqual([
    ["GET", "/", "public"],
    ["GET", "/pagewire.js", "public"],
    ["GET", "/agent/*", "public"],
    ["GET", "/ai-agent.js", "public"],
    ["GET", "/ai-chat.js", "public"],
    ["GET", "/agent-window.js", "public"],
    ["GET", "/actions.js", "public"],
    ["GET", "/terminal.js", "public"],
    ["GET", "/webmcp.js", "public"],
    ["GET", "/webmcp-polyfill.js", "public"],
    ["GET", "/console", "public"],
    ["GET", "/console/*", "public"],
    ["GET", "/terminal", "public"],
    ["GET", "/terminal/*", "public"],
    ["GET", "/pagewire/*", "public"],
    ["GET", "/pagewire-worker.js", "public"],
    ["GET", "/pagewire-service-worker.js", "public"],
    ["GET", "/pagewire-serving-worker.js", "public"],
    ["GET", "/pagewire-serving-service-worker.js", "public"],
    ["GET", "/demo", "public"],
    ["GET", "/demo/*", "public"],
    ["GET", "/healthz", "public"],
    ["GET", "/health", "public"],
    ["GET", "/readyz", "public"],
    ["GET", "/api/proof", "public"],
    ["GET", "/.well-known/oauth-protected-resource", "public"],
    ["GET", "/.well-known/oauth-protected-resource/*", "public"],
    ["GET", "/metrics", "agent"],
    ["POST", "/api/call/*", "agent"],
    ["POST", "/api/codes", "agent"],
    ["POST", "/api/owner-codes", "owner"],
    ["POST", "/api/browser-codes", "person"],
    ["GET", "/api/browsers", "agent"],
    ["DELETE", "/api/browsers/*", "agent"],
    ["POST", "/api/sign-in", "own"],
    ["GET", "/api/sign-in", "public"],
    ["GET", "/sign-in", "visitor"],
    ["GET", "/sign-in/callback", "visitor"],
    ["GET", "/sign-in/callback/*", "visitor"],
    ["POST", "/sign-in/back-channel", "visitor"],
    ["POST", "/api/session", "own"],
    ["GET", "/api/sessions", "agent"],
    ["DELETE", "/api/sessions/*", "agent"],
    ["POST", "/api/challenge", "own"],
    ["POST", "/api/sign-out", "agent"],
    ["GET", "/api/app", "agent"],
    ["GET", "/api/conversations", "agent"],
    ["DELETE", "/api/conversations/*", "agent"],
    ["GET", "/api/consents", "agent"],
    ["DELETE", "/api/consents/*", "agent"],
    ["GET", "/api/pins", "agent"],
    ["POST", "/api/pins/*", "agent"],
    ["GET", "/api/status", "agent"],
    ["GET", "/api/tabs", "agent"],
    ["POST", "/api/tabs/*", "agent"],
    ["GET", "/api/agents", "agent"],
    ["GET", "/api/calls", "agent"],
    ["GET", "/api/calls/stream", "agent"],
    ["GET", "/api/calls/summary", "agent"],
    ["GET", "/api/calls/*", "agent"],
    ["GET", "/api/clients", "agent"],
    ["GET", "/api/policy", "agent"],
    ["POST", "/api/policy/test", "agent"],
    ["PUT", "/api/policy", "owner"],
    ["DELETE", "/api/policy", "owner"],
    ["GET", "/api/origins", "agent"],
    ["POST", "/api/origins", "owner"],
    ["DELETE", "/api/origins/*", "owner"],
    ["GET", "/api/model", "agent"],
    ["GET", "/api/models", "agent"],
    ["GET", "/api/quota", "agent"],
    ["POST", "/api/model/test", "agent"],
    ["PUT", "/api/model", "owner"],
    ["GET", "/api/waits", "person"],
    ["GET", "/api/waits/stream", "person"],
    ["GET", "/api/waits/*", "person"],
    ["POST", "/api/waits/*", "person"],
    ["OPTIONS", "/api/page-tokens", "app"],
    ["POST", "/api/page-tokens", "app"],
    ["GET", "/oauth/command-line.json", "public"],
    ["GET", "/api/team/me", "agent"],
    ["GET", "/api/keys", "agent"],
    ["POST", "/api/keys", "agent"],
    ["DELETE", "/api/keys/*", "agent"],
    ["GET", "/api/team/people", "admin"],
    ["POST", "/api/team/people/*", "admin"],
    ["DELETE", "/api/team/people/*", "admin"],
    ["GET", "/api/team/sessions", "admin"],
    ["DELETE", "/api/team/sessions/*", "admin"],
    ["GET", "/api/team/services", "admin"],
    ["POST", "/api/team/services", "admin"],
    ["POST", "/api/team/services/*", "admin"],
    ["DELETE", "/api/team/services/*", "admin"],
    ["GET", "/api/team/model", "admin"],
    ["PUT", "/api/team/model", "admin"],
    ["DELETE", "/api/team/model", "admin"],
    ["GET", "/api/team/quotas", "admin"],
    ["PUT", "/api/team/quotas", "admin"],
    ["GET", "/api/team/use", "admin"],
    ["GET", "/api/team/policy", "admin"],
    ["PUT", "/api/team/policy", "admin"],
    ["DELETE", "/api/team/policy", "admin"],
    ["POST", "/api/team/policy/test", "admin"],
    ["GET", "/api/team/budgets", "admin"],
    ["PUT", "/api/team/budgets", "admin"],
    ["GET", "/api/team/audit", "admin"],
    ["GET", "/api/team/audit/stream", "admin"],
    ["GET", "/api/team/calls/*", "admin"],
    ["GET", "/api/team/pins/*", "admin"],
    ["POST", "/api/team/pins/*", "admin"],
    ["GET", "/api/team/consents/*", "admin"],
    ["DELETE", "/api/team/consents/*", "admin"],
    ["POST", "/api/parent-window/tools", "agent"],
    ["POST", "/api/browser-delegate", "terminal"],
    ["POST", "/api/browser-delegate/stream", "terminal"],
    ["GET", "/api/browser-delegate/actions", "terminal"],
    ["POST", "/api/v1/browser-delegate", "terminal"],
    ["POST", "/api/v1/browser-delegate/stream", "terminal"],
    ["GET", "/api/v1/browser-delegate/actions", "terminal"],
    ["POST", "/api/shell-codes", "shell"],
    ["GET", "/api/shells", "shell"],
    ["POST", "/api/shells", "shell"],
    ["DELETE", "/api/shells/*", "shell"],
    ["POST", "/api/terminals", "agent"],
    ["POST", "/api/terminals/*", "agent"],
    ["DELETE", "/api/terminals/*", "agent"],
    ["POST", "/mcp", "agent"],
    ["GET", "/mcp", "agent"],
    ["DELETE", "/mcp", "agent"],
    ["POST", "/mcp/tabs/*", "agent"],
    ["GET", "/mcp/tabs/*", "agent"],
    ["DELETE", "/mcp/tabs/*", "agent"],
    ["upgrade", "/page", "page"],
    ["upgrade", "/agent", "agent"],
    ["upgrade", "/ai-agent", "either"],
    ["upgrade", "/ws/parent-window/*", "agent"],
    ["upgrade", "/ws/terminal", "shell"],
  ]);
});

test("H2: a path that is not in the table is 404, as a request and as an upgrade, with every method", async () => {
  const { port } = await startHub({ assets: makeAssets() });
  const paths = [
    ...[
      "/x",
      "//",
      "/PAGE",
      "/metrics/",
      "/metrics/x",
      "/healthz/",
      "/api",
      "/api/call",
      "/api/browser-delegate/",
      "/api/browser-delegate/actions/",
      "/api/v2/browser-delegate",
      "/api/v1/browser-delegates",
      "/mcp/",
      "/mcp/tabs",
      "/mcp/tabs/",
      "/mcp/tabs/a/b",
      "/mcp/none",
    ],
    ...["/pagewire", "/page/", "/agent/x", "/%70age", "/.env", "/demo/../metrics", "/pagewire/../../package.json"],
    ...["/demo/%2e%2e/%2e%2e/package.json", "/demo/index.html/", "/demo/x", "/pagewire/", "/;/metrics", "/metrics%00"],
  ];
  for (const path of paths) {
    expect(await statusOf(port, `GET ${path}`), path).toBe(404);
    expect(await statusOf(port, `GET ${path}`, upgradeLines), `upgrade of ${path}`).toBe(404);
  }
  for (const method of methods) {
    expect(await statusOf(port, `${method} /x`), method).toBe(404);
  }
});

test("H2: another method than a route's own is 405, as a request and as an upgrade", async () => {
  const { port } = await startHub({ assets: makeAssets() });
  for (const route of routes) {
    const alike = routes.filter((one) => one.path === route.path && one.isUpgrade === route.isUpgrade);
    const allowed = alike.map((one): string => one.method);
    if (allowed.includes("GET") && !route.isUpgrade) allowed.push("HEAD");
    for (const method of methods.filter((one) => !allowed.includes(one))) {
      // In the table an upgrade with HEAD matches like one with GET; WebSocket itself refuses it.
      if (route.isUpgrade && method === "HEAD") continue;
      const status = await statusOf(port, `${method} ${pathAt(route)}`, route.isUpgrade ? upgradeLines : []);
      expect(status, `${method} ${route.path}`).toBe(405);
    }
  }
});

test("H2: a route for requests is no upgrade, and the other way round", async () => {
  const { port } = await startHub({ assets: makeAssets() });
  for (const route of routes) {
    const lines = route.isUpgrade ? [] : upgradeLines;
    expect(await statusOf(port, `GET ${pathAt(route)}`, lines), route.path).toBe(404);
  }
});

test("H2: an upgrade to anything but a WebSocket is refused", async () => {
  const { port } = await startHub();
  const asked = ["Connection: Upgrade", "Upgrade: h2c"];
  for (const path of ["/page", "/agent"]) expect(await statusOf(port, `GET ${path}`, asked)).toBe(400);
  expect(await statusOf(port, "GET /page", upgradeLines.slice(0, 3))).toBe(400);
});

test("H2: HEAD is answered like GET, without a body", async () => {
  const hub = await startHub({ assets: makeAssets() });
  for (const path of ["/pagewire.js", "/", "/healthz", "/readyz"]) {
    const [head, get] = await Promise.all([fetch(`${hub.url}${path}`, { method: "HEAD" }), fetch(`${hub.url}${path}`)]);
    expect(head.status).toBe(200);
    expect(await head.text()).toBe("");
    const headersOf = ({ headers }: Response) =>
      [...headers].filter(([name]) => !/^(date|connection|keep-alive)$/.test(name));
    expect(headersOf(head)).toEqual(headersOf(get));
  }
});
