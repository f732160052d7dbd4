// The loot of a later server on the hub's port, from a browser that had signed in to the hub there.
import { once } from "node:events";
import { createServer } from "node:http";
import { closeNameOf } from "pagewire/wire";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubProcess } from "./support/hub-process.ts";
import { createTerminalWorld } from "./terminal.test-helper.ts";

let hub: HubProcess;
let browser: Browser;

beforeAll(async () => {
  hub = await startHub({ args: ["--model", "rehearsal"] });
  browser = await openChromium();
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
});

async function mintLink(): Promise<string> {
  const headers = { Authorization: `Bearer ${await hub.token()}` };
  const response = await fetch(`${hub.url}/api/codes`, { method: "POST", headers });
  return ((await response.json()) as { readonly url: string }).url;
}

/** Serves this page for every request on the hub's port. */
async function takePort({ port }: HubProcess, page: string): Promise<() => Promise<void>> {
  const server = createServer((_, response) => response.setHeader("Content-Type", "text/html").end(page));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}

/** Takes everything in storage, tries to take the key, and makes it sign for future times. */
const thief = `<title>thief</title><script>
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  (async () => {
    const kept = Object.values(localStorage).filter((text) => /^pagewire-(app|shell)\\./.test(text));
    const database = await done(indexedDB.open("pagewire"));
    const keys = await done(database.transaction("keys").objectStore("keys").getAll());
    const taken = [];
    for (const format of ["pkcs8", "jwk"])
      await crypto.subtle.exportKey(format, keys[0].privateKey).then((key) => taken.push(key), () => {});
    const base64url = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
      .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const challenge = (Date.now() + 3.6e6) + "." + "A".repeat(43);
    const signed = [];
    for (const token of kept) {
      const text = new TextEncoder().encode(JSON.stringify(["pagewire/1 page", location.origin, token, challenge]));
      const algorithm = { name: "ECDSA", hash: "SHA-256" };
      signed.push(token + "." + challenge + "." + base64url(await crypto.subtle.sign(algorithm, keys[0].privateKey, text)));
    }
    window.loot = { kept, keys: keys.length, taken, signed };
  })().catch((error) => { window.loot = { error: String(error) }; });
</script>`;

interface Loot {
  readonly kept: readonly string[];
  readonly keys: number;
  readonly taken: readonly unknown[];
  readonly signed: readonly string[];
}

const statusOf = async (token: string): Promise<number> =>
  (await fetch(`${hub.url}/api/app`, { headers: { Authorization: `Bearer ${token}`, Origin: hub.url } })).status;

/** The loot of a later server on the port, from a browser that visits it while the hub is down. */
async function steal(from: HubProcess, by: Browser): Promise<Loot> {
  await from.kill();
  const leave = await takePort(from, thief);
  const stranger = await by.open(`${from.url}/anything`);
  await stranger.waitFor("window.loot !== undefined");
  const loot = await stranger.evaluate<Loot>("window.loot");
  await leave();
  await from.restart();
  return loot;
}

test("SI21: who serves the hub's port later finds nothing in the browser that signs in at the hub, and its user stays signed in", async () => {
  const home = await browser.open(await mintLink());
  await home.waitFor("document.querySelector('ai-agent')?.connection === 'open'");
  await hub.restart();
  const again = await browser.open(hub.url);
  await again.waitFor("document.querySelector('ai-agent')?.connection === 'open'");
  const loot = await steal(hub, browser);
  expect(loot).toMatchObject({ kept: [expect.stringMatching(/^pagewire-app\./)], keys: 1, taken: [] });

  for (const text of [...loot.kept, ...loot.signed]) expect(await statusOf(text)).toBe(401);
  const back = await browser.open(hub.url);
  await back.waitFor("document.querySelector('ai-agent')?.connection === 'open'");
  expect(await back.evaluate("document.querySelector('.sign-in') === null")).toBe(true);
});

/** The name with which the hub closes a terminal view that sends this token. */
async function turnedAway({ url }: HubProcess, token: string): Promise<string | undefined> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws/terminal`, { headers: { Origin: url } });
  socket.on("open", () => socket.send(JSON.stringify({ type: "hello", version: 1, token })));
  const [code] = (await once(socket, "close")) as [number];
  return closeNameOf(code);
}

test("SI21: nor does it find anything that opens a terminal there", async () => {
  const world = await createTerminalWorld();
  onTestFinished(() => world.close());
  await world.open();
  const loot = await steal(world.hub, world.browser);
  expect(loot).toMatchObject({ kept: [expect.stringMatching(/^pagewire-shell\./)], keys: 1, taken: [] });
  for (const text of [...loot.kept, ...loot.signed]) expect(await turnedAway(world.hub, text)).toBe("token-expired");
  await world.open();
});
