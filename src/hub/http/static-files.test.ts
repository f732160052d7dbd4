import { expect, test } from "vitest";
import { assetFiles, makeAssets } from "../test-support/assets.test-helper.ts";
import { startShellHub } from "../doors/shell/shell.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import type { TestHub } from "../test-support/hub.test-helper.ts";
import { shop } from "../test-support/peer.test-helper.ts";
import { routes } from "./routes.ts";
import { pathAt } from "../guard/test-support/attempts.test-helper.ts";

const secret = "a-secret-of-at-least-32-characters";

function get(hub: TestHub, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${hub.url}${path}`, { headers, redirect: "manual" });
}

const serving = {
  "browser/pagewire-serving-worker.js": "// serves",
  "browser/pagewire-serving-service-worker.js": "// too",
};

test("H3: the scripts, their chunks, the workers and the agent's window are served to every client, with any credential", async () => {
  const hub = await startHub({ assets: makeAssets({ ...assetFiles, ...serving }) });
  const everybody = [{}, { Origin: shop }, { Origin: "null" }, { Authorization: `Bearer ${hub.token}`, Cookie: "a=b" }];
  for (const [path, type, text] of [
    ["/pagewire.js", "text/javascript", assetFiles["browser/pagewire.js"]],
    ["/pagewire/dialog.js", "text/javascript", assetFiles["browser/chunks/dialog.js"]],
    ["/ai-agent.js", "text/javascript", assetFiles["browser/ai-agent.js"]],
    ["/ai-chat.js", "text/javascript", assetFiles["browser/ai-chat.js"]],
    ["/agent-window.js", "text/javascript", assetFiles["browser/agent-window.js"]],
    ["/pagewire-worker.js", "text/javascript", assetFiles["browser/pagewire-worker.js"]],
    ["/pagewire-service-worker.js", "text/javascript", assetFiles["browser/pagewire-service-worker.js"]],
    ["/pagewire-serving-worker.js", "text/javascript", serving["browser/pagewire-serving-worker.js"]],
    ["/pagewire-serving-service-worker.js", "text/javascript", serving["browser/pagewire-serving-service-worker.js"]],
    ["/", "text/html", assetFiles["agent/index.html"]],
    ["/?a=b", "text/html", assetFiles["agent/index.html"]],
    ["/agent/", "text/html", assetFiles["agent/index.html"]],
    ["/agent/main.js?v=1", "text/javascript", assetFiles["agent/main.js"]],
  ] as const) {
    for (const headers of everybody) {
      const response = await get(hub, path, headers);
      expect(response.headers.get("content-type")).toBe(`${type}; charset=utf-8`);
      expect([response.status, await response.text()]).toEqual([200, text]);
    }
  }
});

test("H3: no public answer sets a cookie or holds a secret", async () => {
  const hub = await startHub({ assets: makeAssets() });
  for (const route of routes.filter(({ access }) => access === "public")) {
    const response = await get(hub, pathAt(route), { Authorization: `Bearer ${hub.token}` });
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(`${await response.text()} ${[...response.headers].join(" ")}`).not.toContain(hub.token);
  }
});

/** The window's content policy for a directive. */
async function policyOf(hub: TestHub, directive: string, path = "/"): Promise<string | undefined> {
  const { headers } = await get(hub, path);
  expect([headers.get("x-frame-options"), headers.get("cross-origin-opener-policy")]).toEqual([null, null]);
  const directives = (headers.get("content-security-policy") ?? "").split("; ");
  return directives.find((each) => each.startsWith(`${directive} `))?.slice(directive.length + 1);
}

test("the hub's own address is the agent's window, which runs its own scripts and reaches its own hub, and nothing else", async () => {
  const hub = await startHub({ assets: makeAssets() });
  for (const path of ["/", "/agent/", "/agent/main.js"]) {
    for (const directive of ["script-src", "style-src"]) expect(await policyOf(hub, directive, path)).toBe("'self'");
    for (const directive of ["default-src", "base-uri", "form-action"])
      expect(await policyOf(hub, directive, path)).toBe("'none'");
    expect(await policyOf(hub, "connect-src", path)).toBe(
      `'self' ws://127.0.0.1:${hub.port} wss://127.0.0.1:${hub.port}`,
    );
    expect(await policyOf(hub, "img-src", path)).toBe("'self' data: blob:");
  }
});

test("the agent's window may be framed by the hub's own pages and by those of allowed origins, from the moment that they are", async () => {
  const hub = await startHub({ assets: makeAssets() });
  expect(await policyOf(hub, "frame-ancestors")).toBe(`'self' ${shop}`);
  const odd = [
    "https://evil.example; script-src *",
    "chrome-extension://abc",
    "https://*.example",
    "https://a.example/",
    // Valid in a URL's name, but they would end a directive or the policy.
    "http://a;sandbox",
    "http://a,b",
    "http://[::1]:5173",
  ];
  // A policy has no syntax for IPv6 addresses.
  for (const origin of [...odd, "http://[::1]:5173", "http://localhost:5173", "http://localhost:5173"])
    hub.allow(origin);
  expect(await policyOf(hub, "frame-ancestors")).toBe(`'self' ${shop} http://localhost:5173`);
  hub.disallow(shop);
  expect(await policyOf(hub, "frame-ancestors")).toBe("'self' http://localhost:5173");
  // Going back, a browser reuses a cached page with its old policy, unless caching is forbidden.
  expect((await get(hub, "/")).headers.get("cache-control")).toBe("no-store");
});

test("of very many origins those are named that a header has room for", async () => {
  const many = Array.from({ length: 2000 }, (_, at) => `https://shop-${at}.example`);
  const hub = await startHub({ assets: makeAssets(), allowedOrigins: () => many });
  const ancestors = await policyOf(hub, "frame-ancestors");
  expect(ancestors).toMatch(/^'self' https:\/\/shop-0\.example /);
  expect(ancestors?.length).toBeLessThan(8192);
});

test("in jwt mode, too, the allowed origins are those that may frame the agent's window", async () => {
  const hub = await startHub({ assets: makeAssets(), jwt: { secret } });
  expect(await policyOf(hub, "frame-ancestors")).toBe(`'self' ${shop}`);
});

test("H3: a hub without the agent's window has none, and one without its script says so in its log", async () => {
  const hub = await startHub({ assets: makeAssets({ "browser/pagewire.js": "// only this" }) });
  expect((await get(hub, "/pagewire.js")).status).toBe(200);
  for (const path of ["/", "/agent/", "/demo/"]) expect((await get(hub, path)).status).toBe(404);
  expect(hub.records.filter(({ level }) => level !== "info")).toMatchObject([{ event: "request-refused" }, {}, {}]);

  const assets = makeAssets({});
  const bare = await startHub({ assets });
  expect(bare.records).toMatchObject([
    { event: "hub-started" },
    { level: "warn", event: "assets-missing", folder: assets },
  ]);
  expect((await get(bare, "/pagewire.js")).status).toBe(404);
});

test("H8: only pages that may come in may import the script and its chunks", async () => {
  const hub = await startHub({ assets: makeAssets() });
  for (const path of ["/pagewire.js", "/ai-agent.js", "/agent-window.js", "/pagewire/dialog.js"]) {
    for (const origin of [shop, `http://127.0.0.1:${hub.port}`]) {
      const { headers } = await get(hub, path, { Origin: origin });
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    }
    for (const origin of ["https://evil.example", "null", "https://evil.shop.example"]) {
      const { headers } = await get(hub, path, { Origin: origin });
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
    // A cache must not give one origin's response to another.
    expect((await get(hub, path)).headers.get("vary")).toBe("Origin");
  }
});

test("H8: the workers' scripts are for pages of the hub's own origin, even if other origins are allowed", async () => {
  const hub = await startHub({ assets: makeAssets({ ...assetFiles, ...serving }) });
  for (const kind of ["worker", "service-worker", "serving-worker", "serving-service-worker"]) {
    const { headers, status } = await get(hub, `/pagewire-${kind}.js`, { Origin: shop });
    expect(status).toBe(200);
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("cross-origin-resource-policy")).toBeNull();
  }
});

test("H8: an origin that is allowed while the hub runs may import from then on", async () => {
  const hub = await startHub({ assets: makeAssets() });
  const allowed = async () =>
    (await get(hub, "/pagewire/dialog.js", { Origin: "https://new.example" })).headers.get(
      "access-control-allow-origin",
    );
  expect(await allowed()).toBeNull();
  hub.allow("https://new.example");
  expect(await allowed()).toBe("https://new.example");
});

test("H8: in jwt mode, where tokens say who may come in, pages of every origin but `null` may import", async () => {
  const hub = await startHub({ assets: makeAssets(), jwt: { secret } });
  const allowed = async (origin: string) =>
    (await get(hub, "/pagewire/dialog.js", { Origin: origin })).headers.get("access-control-allow-origin");
  expect(await allowed("https://any.example")).toBe("https://any.example");
  expect(await allowed("null")).toBeNull();
});

test("H8: no other answer may be read across origins, not even a refusal", async () => {
  const hub = await startHub({ assets: makeAssets() });
  for (const { path, method } of [
    ...routes,
    { path: "/nothing", method: "GET" },
    { path: "/metrics", method: "OPTIONS" },
  ]) {
    if (
      path.startsWith("/pagewire") ||
      /^\/(ai-agent|ai-chat|agent-window|actions|terminal|webmcp(-polyfill)?)\.js$/.test(path)
    )
      continue;
    for (const Origin of ["https://evil.example", shop, `http://127.0.0.1:${hub.port}`]) {
      const headers = { Origin, Authorization: `Bearer ${hub.token}`, "Access-Control-Request-Method": "POST" };
      const response = await fetch(`${hub.url}${pathAt({ path })}`, { method, headers, redirect: "manual" });
      expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect(response.headers.get("x-content-type-options"), path).toBe("nosniff");
    }
  }
});

test.each(["/pagewire.js", "/ai-agent.js", "/ai-chat.js", "/agent-window.js", "/pagewire/dialog.js"])(
  "a page that may not import %s is noted like one whose socket is refused, with the command that lets it in",
  async (path) => {
    const hub = await startHub({ assets: makeAssets() });
    const origin = "https://new.example";
    await get(hub, path, { Origin: origin });
    const command = `npx pagewire allow ${origin}`;
    const refusals = () => hub.records.filter(({ event }) => event === "page-refused");
    expect(refusals()).toEqual([
      expect.objectContaining({ level: "warn", code: "origin-not-allowed", origin, command }),
    ]);
    hub.allow(origin);
    for (const headers of [{ Origin: origin }, { Origin: "null" }, {}]) await get(hub, path, headers);
    await get(hub, "/pagewire-worker.js", { Origin: "https://other.example" });
    expect(refusals()).toHaveLength(1);
    expect(await hub.metric('pagewire_refusals_total{code="origin-not-allowed"}')).toBe(1);
  },
);

test("H3: the scripts of actions, terminals and WebMCP are served and may be imported like every other, with terminals and without", async () => {
  for (const hub of [await startHub({ assets: makeAssets() }), await startShellHub({ assets: makeAssets() })]) {
    for (const [path, text] of [
      ["/actions.js", assetFiles["browser/actions.js"]],
      ["/terminal.js", assetFiles["browser/terminal.js"]],
      ["/webmcp.js", assetFiles["browser/webmcp.js"]],
      ["/webmcp-polyfill.js", assetFiles["browser/webmcp-polyfill.js"]],
    ] as const) {
      for (const Origin of [shop, "null", hub.url]) {
        const response = await get(hub, path, { Origin });
        expect([response.status, await response.text()]).toEqual([200, text]);
        expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
        expect(response.headers.get("access-control-allow-origin")).toBe(Origin === "null" ? null : Origin);
      }
    }
  }
});

test("the page with a terminal runs its own scripts, may style its elements as no other page may, and is framed by nobody", async () => {
  const hub = await startShellHub({ assets: makeAssets() });
  for (const path of ["/terminal", "/terminal/", "/terminal?a=b", "/terminal/main.js"]) {
    const { status, headers } = await get(hub, path);
    expect([status, headers.get("cross-origin-opener-policy")]).toEqual([200, "same-origin"]);
    expect(headers.get("cache-control")).toBe(path.endsWith(".js") ? "no-cache" : "no-store");
    expect(headers.get("content-security-policy")?.split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      `connect-src 'self' ws://127.0.0.1:${hub.port} wss://127.0.0.1:${hub.port}`,
      "img-src 'self' data: blob:",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ]);
  }
  expect(await (await get(hub, "/terminal")).text()).toBe(assetFiles["terminal-page/index.html"]);
  expect((await get(hub, "/terminal/x.js")).status).toBe(404);
  expect((await get(hub, "/")).headers.get("content-security-policy")).not.toContain("unsafe-inline");
});

test("the page with a terminal may connect to the origins that the hub lists, and is told which they are", async () => {
  const fetchOrigins = ["https://api.example.com", "http://127.0.0.1:8080"];
  const mount = () => ({ serve() {}, list: async () => [], end: async () => {}, review() {}, close: async () => {} });
  const hub = await startHub({ assets: makeAssets(), shell: { mount, key: () => "a-shell-key", fetchOrigins } });
  const own = `'self' ws://127.0.0.1:${hub.port} wss://127.0.0.1:${hub.port}`;
  for (const path of ["/terminal", "/terminal/main.js"]) {
    const { headers } = await get(hub, path);
    expect(headers.get("content-security-policy")).toContain(`connect-src ${own} ${fetchOrigins.join(" ")};`);
  }
  const page = await (await get(hub, "/terminal")).text();
  expect(page).toContain('<meta name="pagewire-fetch" content="https://api.example.com http://127.0.0.1:8080" />');
  for (const path of ["/", "/console"])
    expect((await get(hub, path)).headers.get("content-security-policy")).not.toContain("api.example.com");
});

test.each([
  "*",
  "https://*.example.com",
  "https://api.example.com/",
  "https://a.example; script-src *",
  "http://[::1]:80",
  "ws://a",
])("a hub does not start with %j as an origin to fetch from", async (origin) => {
  const mount = () => ({ serve() {}, list: async () => [], end: async () => {}, review() {}, close: async () => {} });
  const shell = { mount, key: () => "a-shell-key", fetchOrigins: [origin] };
  await expect(startHub({ shell })).rejects.toMatchObject({ code: "options-invalid" });
});

test("nothing may frame the console, and it may run only the hub's own scripts and styles", async () => {
  const hub = await startHub({ assets: makeAssets() });
  for (const path of ["/console", "/console/", "/console/main.js"]) {
    const { status, headers } = await get(hub, path);
    expect([status, headers.get("cross-origin-opener-policy")]).toEqual([200, "same-origin"]);
    expect(headers.get("cache-control")).toBe(path.endsWith(".js") ? "no-cache" : "no-store");
    const policy = headers.get("content-security-policy") ?? "";
    for (const part of ["script-src 'self';", "style-src 'self';", "frame-ancestors 'none'"])
      expect(policy).toContain(part);
  }
});

test("the page that replaces disabled terminals can run nothing", async () => {
  const hub = await startHub({ assets: makeAssets() });
  for (const path of ["/terminal", "/terminal/", "/terminal/index.html"]) {
    const { status, headers } = await get(hub, path);
    expect([status, headers.get("cache-control")]).toEqual([503, "no-store"]);
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
  }
});
