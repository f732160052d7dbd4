// The console behind a balancer that sends each request to the next of three hubs: a person signs in, sees all hubs and a page of
// another, and allows what waits at a third.
import { createHub, openStore, parsePolicy, signAgentToken, signPageToken, signTerminalToken } from "pagewire/hub";
import type { Hub } from "pagewire/hub";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startNats } from "../support/start-nats.ts";
import { startPostgres } from "../support/start-postgres.ts";
import { startRequestProxy } from "../support/request-proxy.ts";
import { axeFindings } from "./axe.test-helper.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { servePages } from "./support/page-server.ts";
import { callerOf } from "./support/world.ts";

const secret = "a-secret-of-at-least-32-characters";
const closing: (() => Promise<unknown>)[] = [];
const hubs: Hub[] = [];
let address: string;
let browser: Browser;
let shop: string;

beforeAll(async () => {
  const [nats, postgres, proxy] = await Promise.all([startNats(), startPostgres(), startRequestProxy()]);
  closing.push(nats.close, postgres.close, proxy.close);
  const database = await postgres.newDatabase();
  address = `127.0.0.1:${proxy.port}`;
  const policy = parsePolicy('{"rules":[{"tool":"pay","decision":"ask"}]}');
  for (const hubName of ["ash", "beech", "cedar"]) {
    const hub = await createHub({
      ...{ port: 0, jwt: { secret }, publicHosts: [address], policy: () => policy },
      ...{ store: () => openStore({ database }), cluster: { nats: nats.url, hubName } },
    });
    hubs.push(hub);
    closing.push(hub.close);
  }
  proxy.forward({ ports: hubs.map(({ port }) => port) });
  const token = await signPageToken({ secret, subject: "ann" });
  const pages = await servePages({
    "/": `<!doctype html><title>Shop</title><script src="http://${address}/pagewire.js" data-hub="${hubs[1]?.url}"
      data-app="shop" data-token="${token}"></script>
      <script>pagewire.registerTool({ name: "pay", title: "Pay", inputSchema: { type: "object" }, execute: () => "paid" })</script>`,
  });
  closing.push(pages.close);
  shop = pages.url("/");
  browser = await openChromium();
  closing.push(browser.close);
}, 120_000);

afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

test("a person signs in through any hub, sees all hubs and a page of another, and allows what waits at a third", async () => {
  const page = await browser.open(shop);
  await page.waitFor("pagewire.state.status === 'connected'");
  const token = await signAgentToken({ secret, subject: "ann" });
  const made = await fetch(`http://${address}/api/codes`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ person: await signTerminalToken({ secret, subject: "ann" }) }),
  });
  const { code } = (await made.json()) as { code: string };
  const console = await browser.open(`http://${address}/console#code=${code}`);
  await console.waitFor("document.querySelector('#now-hubs .total')?.textContent === '3'");
  for (const name of ["ash", "beech", "cedar"])
    await console.waitFor((text: string) => document.querySelector(".now")?.textContent?.includes(text), {
      values: [name],
    });
  await console.waitFor("document.querySelector('.now')?.textContent.includes('at beech')");
  expect(await axeFindings(console)).toEqual([]);
  const paid = callerOf(hubs[2]?.url ?? "", token)("pay", {});
  await console.evaluate(() => (location.hash = "#/waits"));
  const allow = ".wait-answers .button.strong:not(:disabled), .wait-answers .button.danger:not(:disabled)";
  await console.activate();
  await console.waitFor(`document.querySelectorAll(${JSON.stringify(allow)}).length > 0`);
  await console.click(allow);
  expect(await paid).toMatchObject({ outcome: "ok" });
  await console.waitFor("document.querySelectorAll('.wait').length === 0");
});
