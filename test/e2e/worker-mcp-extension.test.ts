// A browser extension whose background calls the tools of an app's tabs, through a content script in each.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bundleModule } from "./support/bundle.ts";
import { launchChromium } from "./support/chromium.ts";
import { countsOf } from "./support/world.ts";
import { builtScript, createWorkerWorld, once } from "./worker.test-helper.ts";

// The same scripts as in docs/guide/many-tabs.md.
const content = `
import { connectServingWorker } from "pagewire/worker";

async function start() {
  const transport = await connectServingWorker({ worker: "/pagewire-serving-worker.js" });
  const port = chrome.runtime.connect();
  transport.onmessage = (message) => port.postMessage(message);
  transport.onclose = () => port.disconnect();
  port.onMessage.addListener((message) => void transport.send(message));
  port.onDisconnect.addListener(() => void transport.close());
  await transport.start();
}
void start();
`;

const background = `
import { Client } from "@modelcontextprotocol/client";

chrome.runtime.onConnect.addListener(async (port) => {
  const client = new Client({ name: "my-extension", version: "1.0.0" });
  await client.connect({
    async start() {
      port.onMessage.addListener((message) => this.onmessage(message));
      port.onDisconnect.addListener(() => this.onclose());
    },
    send: async (message) => port.postMessage(message),
    close: async () => port.disconnect(),
  });
  const { tools } = await client.listTools();
  if (tools.some(({ name }) => name === "echo")) await client.callTool({ name: "echo", arguments: { tag: "extension" } });
});
`;

/** A folder with the extension, unpacked. */
async function makeExtension(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "pagewire-extension-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const manifest = {
    manifest_version: 3,
    name: "extension",
    version: "1",
    background: { service_worker: "background.js", type: "module" },
    content_scripts: [{ matches: ["<all_urls>"], js: ["content.js"] }],
  };
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "background.js"), (await bundleModule(background)).body);
  writeFileSync(join(folder, "content.js"), `{${(await bundleModule(content)).body}}`);
  return folder;
}

test("an extension calls the tools of an app's tabs through a content script, each call once", async () => {
  const world = await createWorkerWorld();
  onTestFinished(() => world.close());
  // Extensions treat the loopback address specially, so this uses a hostname.
  const origin = world.pages.originFor("insecure.test");
  const browser = await launchChromium({
    args: ["--enable-unsafe-extension-debugging", `--unsafely-treat-insecure-origin-as-secure=${origin}`],
  });
  onTestFinished(() => browser.close());
  Object.assign(world.served, {
    "/pagewire-serving-worker.js": builtScript("pagewire-serving-worker.js"),
    "/shop": world.main.page({ attributes: 'data-worker="/pagewire-serving-worker.js"' }),
  });
  const shop = await browser.open(`${origin}/shop`);
  await shop.waitFor("pagewire.state.status === 'connected'");
  await browser.send("Extensions.loadUnpacked", { path: await makeExtension() });
  await browser.open(`${origin}/elsewhere`);
  await shop.waitFor("localStorage.getItem('ran:extension')");
  expect(await countsOf(shop, "extension")).toEqual(once);
});
