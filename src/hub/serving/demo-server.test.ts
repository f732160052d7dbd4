import { once } from "node:events";
import { Server, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { assetFiles, makeAssets } from "../test-support/assets.test-helper.ts";
import { hostCases } from "../guard/test-support/attempts.test-helper.ts";
import { startHub } from "../test-support/hub.test-helper.ts";
import { connectPage } from "../test-support/page.test-helper.ts";
import { askRaw, upgradeLines } from "../test-support/raw.test-helper.ts";

const started = () => startHub({ assets: makeAssets(), demo: { port: 0 } });

async function takenPort(): Promise<number> {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  return (other.address() as AddressInfo).port;
}

test("the demo is served at an origin of its own, told where its hub is, and its pages may come in", async () => {
  const hub = await started();
  const demo = hub.demo ?? "";
  expect(demo).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(new URL(demo).port).not.toBe(String(hub.port));
  for (const path of ["/", "/index.html", "/?a=b"]) {
    const response = await fetch(`${demo}${path}`);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await response.text()).toBe(assetFiles["demo/index.html"].replace('""', `"${hub.url}"`));
  }
  expect(await (await fetch(`${demo}/main.js`)).text()).toBe(assetFiles["demo/main.js"]);
  for (const origin of [demo, demo.replace("127.0.0.1", "localhost")])
    expect((await connectPage(hub.url, { origin, tab: origin })).tabId).not.toBe("");
  const imported = await fetch(`${hub.url}/pagewire.js`, { headers: { Origin: demo } });
  expect(imported.headers.get("access-control-allow-origin")).toBe(demo);
});

test("its page shows the commands that connect clients verbatim, whatever they contain", async () => {
  const assets = makeAssets();
  const page = join(assets, "demo", "index.html");
  writeFileSync(page, '<meta name="pagewire-hub" content="" /><meta name="pagewire-clients" content="" />');
  const clients = () => [{ id: "a", title: "A", line: `run "$&" <b> &amp; 'c'`, next: [], names: [] }];
  const hub = await startHub({ assets, demo: { port: 0 }, clients });
  expect(await (await fetch(`${hub.demo}/`)).text()).toBe(
    `<meta name="pagewire-hub" content="${hub.url}" /><meta name="pagewire-clients" content="{&quot;a&quot;:&quot;run \\&quot;$&amp;\\&quot; &lt;b> &amp;amp; 'c'&quot;}" />`,
  );
});

test("the demo may reach and frame its own hub, and no page may frame the demo", async () => {
  const hub = await started();
  const policy = (await fetch(`${hub.demo}/`)).headers.get("content-security-policy") ?? "";
  expect(policy).toContain(`connect-src 'self' ${hub.url} ws://127.0.0.1:${hub.port};`);
  expect(policy).toContain(`frame-src ${hub.url};`);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|\*/);
});

test("a demo whose hub has an IPv6 address, which no policy can name, may reach and frame it, too", async () => {
  const hub = await startHub({ assets: makeAssets(), demo: { port: 0 }, host: "::1" });
  expect(hub.demo).toMatch(/^http:\/\/\[::1\]:\d+$/);
  const { headers } = await fetch(`${hub.demo}/`);
  const policy = headers.get("content-security-policy");
  expect(policy).toContain("connect-src 'self' http: ws:;");
  expect(policy).toContain("frame-src http:;");
});

test("what the demo's address was on the hub's own origin leads to it, and is nothing where there is none", async () => {
  const hub = await startHub({ assets: makeAssets(), demo: { port: 0 }, publicHosts: ["hub.example.com"] });
  const bare = await startHub({ assets: makeAssets() });
  const plain = await startHub({ assets: makeAssets(), jwt: { secret: "s".repeat(40) } });
  for (const [path, there] of [
    ["/demo", "/"],
    ["/demo/", "/"],
    ["/demo/main.js", "/main.js"],
    ["/demo//evil.example", "//evil.example"],
  ] as const) {
    const { status, headers } = await fetch(`${hub.url}${path}`, { redirect: "manual" });
    expect([status, headers.get("location")]).toEqual([302, `${hub.demo}${there}`]);
    for (const other of [bare, plain]) expect((await fetch(`${other.url}${path}`)).status).toBe(404);
  }
  expect([bare.demo, plain.demo]).toEqual([undefined, undefined]);
  const answerFor = async (host: string) =>
    (await askRaw(hub.port, `GET /demo/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status;
  expect([await answerFor(`localhost:${hub.port}`), await answerFor("hub.example.com")]).toEqual([302, 404]);
});

test("the demo's server answers to its own names only, and has nothing but files to read", async () => {
  const hub = await started();
  const port = Number(new URL(hub.demo ?? "").port);
  for (const { name, isOurs, lines } of hostCases(port)) {
    const { status } = await askRaw(port, `${lines("GET", "/main.js").join("\r\n")}\r\n\r\n`);
    expect(status, name).toBe(isOurs ? 200 : 421);
  }
  const ask = async (line: string, ...more: readonly string[]) =>
    (await askRaw(port, [`${line} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...more, "", ""].join("\r\n"))).status;
  for (const path of ["/api/app", "/mcp", "/pagewire.js", "/x", "/../browser/pagewire.js", "/%2e%2e/x", "//", "/demo/"])
    expect(await ask(`GET ${path}`), path).toBe(404);
  for (const path of ["/page", "/agent"]) expect(await ask(`GET ${path}`, ...upgradeLines), path).toBe(404);
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) expect(await ask(`${method} /main.js`)).toBe(405);
  expect(await ask("HEAD /main.js")).toBe(200);
  expect(hub.records.filter(({ level }) => level === "error")).toEqual([]);
});

test("what goes wrong with the demo's server while it runs is logged, and ends nothing", async () => {
  const listened = vi.spyOn(Server.prototype, "listen");
  onTestFinished(() => listened.mockRestore());
  const hub = await started();
  for (const server of new Set(listened.mock.contexts as Server[])) server.emit("error", new Error("EMFILE"));
  expect(hub.records.filter(({ level }) => level === "error")).toMatchObject([
    { message: expect.stringContaining("EMFILE") },
    { message: expect.stringContaining("EMFILE") },
  ]);
  expect((await fetch(`${hub.demo}/`)).status).toBe(200);
});

test("where the demo's port is taken it has a free one, and with the hub it ends", async () => {
  const port = await takenPort();
  const hub = await startHub({ assets: makeAssets(), demo: { port } });
  expect(hub.demo).not.toContain(`:${port}`);
  expect((await fetch(`${hub.demo}/`)).status).toBe(200);
  await hub.drain();
  await expect(fetch(`${hub.demo}/`)).rejects.toThrow();
});

test("a hub that cannot start leaves no demo behind", async () => {
  const port = await takenPort();
  const free = await startHub({ demo: { port: 0 } });
  const there = Number(new URL(free.demo ?? "").port);
  await free.close();
  await expect(startHub({ port, demo: { port: there } })).rejects.toMatchObject({ code: "address-in-use" });
  await expect(startHub({ demo: { port: there }, store: () => JSON.parse("{") as never })).rejects.toThrow();
  expect((await startHub({ demo: { port: there } })).demo).toBe(`http://127.0.0.1:${there}`);
});
