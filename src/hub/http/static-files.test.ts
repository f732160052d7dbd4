import { expect, test } from "vitest";
import { assetFiles, makeAssets } from "../assets.test-helper.ts";
import { startHub } from "../hub.test-helper.ts";
import type { TestHub } from "../hub.test-helper.ts";
import { shop } from "../peer.test-helper.ts";
import { routes } from "../routes.ts";
import { pathAt } from "../guard/attempts.test-helper.ts";

const secret = "a-secret-of-at-least-32-characters";

function get(hub: TestHub, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${hub.url}${path}`, { headers, redirect: "manual" });
}

const serving = {
  "browser/pagewire-serving-worker.js": "// serves",
  "browser/pagewire-serving-service-worker.js": "// too",
};

test("H3: the script, its chunks, the workers and the demo are served to everybody, whatever they bring", async () => {
  const hub = await startHub({ assets: makeAssets({ ...assetFiles, ...serving }) });
  const everybody = [{}, { Origin: shop }, { Origin: "null" }, { Authorization: `Bearer ${hub.token}`, Cookie: "a=b" }];
  for (const [path, type, text] of [
    ["/pagewire.js", "text/javascript", assetFiles["browser/pagewire.js"]],
    ["/pagewire/dialog.js", "text/javascript", assetFiles["browser/chunks/dialog.js"]],
    ["/ai-agent.js", "text/javascript", assetFiles["browser/ai-agent.js"]],
    ["/pagewire-worker.js", "text/javascript", assetFiles["browser/pagewire-worker.js"]],
    ["/pagewire-service-worker.js", "text/javascript", assetFiles["browser/pagewire-service-worker.js"]],
    ["/pagewire-serving-worker.js", "text/javascript", serving["browser/pagewire-serving-worker.js"]],
    ["/pagewire-serving-service-worker.js", "text/javascript", serving["browser/pagewire-serving-service-worker.js"]],
    ["/demo/", "text/html", assetFiles["demo/index.html"]],
    ["/demo/index.html", "text/html", assetFiles["demo/index.html"]],
    ["/demo/main.js?v=1", "text/javascript", assetFiles["demo/main.js"]],
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

test("H3: the hub's own address leads to the demo, which cannot be framed", async () => {
  const hub = await startHub({ assets: makeAssets() });
  for (const path of ["/", "/demo"]) {
    const response = await get(hub, path);
    expect([response.status, response.headers.get("location")]).toEqual([302, "/demo/"]);
  }
  const policy = (await get(hub, "/demo/")).headers.get("content-security-policy");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|\*/);
});

test("H3: a hub without a demo has none, and one without its script says so in its log", async () => {
  const hub = await startHub({ assets: makeAssets({ "browser/pagewire.js": "// only this" }) });
  expect((await get(hub, "/pagewire.js")).status).toBe(200);
  for (const path of ["/", "/demo", "/demo/"]) expect((await get(hub, path)).status).toBe(404);
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
  for (const path of ["/pagewire.js", "/ai-agent.js", "/pagewire/dialog.js"]) {
    for (const origin of [shop, `http://127.0.0.1:${hub.port}`]) {
      const { headers } = await get(hub, path, { Origin: origin });
      expect(headers.get("access-control-allow-origin")).toBe(origin);
      expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    }
    for (const origin of ["https://evil.example", "null", "https://evil.shop.example"]) {
      const { headers } = await get(hub, path, { Origin: origin });
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
    // A cache must not give one origin's answer to another.
    expect((await get(hub, path)).headers.get("vary")).toBe("Origin");
  }
});

test("H8: the workers' scripts are for pages of the hub's own origin, whoever else may come in", async () => {
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
    if (path.startsWith("/pagewire") || path === "/ai-agent.js") continue;
    const letIn = [shop, `http://127.0.0.1:${hub.port}`];
    // The model for rehearsal is for the pages that were let in, too.
    for (const Origin of ["https://evil.example", ...(path.startsWith("/rehearsal/") ? [] : letIn)]) {
      const headers = { Origin, Authorization: `Bearer ${hub.token}`, "Access-Control-Request-Method": "POST" };
      const response = await fetch(`${hub.url}${pathAt({ path, method })}`, { method, headers, redirect: "manual" });
      expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect(response.headers.get("x-content-type-options"), path).toBe("nosniff");
    }
  }
});

test.each(["/pagewire.js", "/ai-agent.js", "/pagewire/dialog.js"])(
  "H56: a page that may not import %s is noted like one whose socket is refused, with the command that lets it in",
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
