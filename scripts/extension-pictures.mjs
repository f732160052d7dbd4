// The pictures for a store, in docs/extension/pictures: the built extension in a real Chromium, paired with a real hub, over a page
// with tools that an agent uses. A store takes 1280 by 800.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright";
import { ensureBuilt } from "./build.mjs";
import { findChromium } from "./find-chromium.mjs";
import { root } from "./lib/root.mjs";

const folder = join(root, "docs", "extension", "pictures");
const size = { width: 1280, height: 800 };
const shop = "https://tea.example";
const token = "pictures-token-of-a-hub-that-lives-for-a-minute";

const shopPage = `<!doctype html><html lang="en"><title>Tea of the hills</title><style>
  body { margin: 0; background: #f4f0e6; color: #2b2a26; font: 17px/1.5 Georgia, serif; }
  header { padding: 26px 56px; background: #2f4a3a; color: #f4f0e6; font-size: 26px; }
  main { display: grid; grid-template-columns: repeat(3, 1fr); gap: 24px; padding: 40px 56px; }
  article { padding: 22px; border-radius: 12px; background: #fffdf7; box-shadow: 0 1px 4px #0002; }
  article::before { display: block; height: 150px; margin-bottom: 14px; border-radius: 8px; background: var(--leaf); content: ""; }
  h2 { margin: 0; font-size: 19px; } p { margin: 4px 0 0; color: #6b675c; }
</style><header>Tea of the hills</header><main>
  <article style="--leaf: #7ba05b"><h2>Longjing</h2><p>Green, from Hangzhou · 12 €</p></article>
  <article style="--leaf: #8a5a3b"><h2>Ceylon</h2><p>Black, from Nuwara Eliya · 9 €</p></article>
  <article style="--leaf: #b0843c"><h2>Oolong</h2><p>Half way, from Anxi · 15 €</p></article>
  <article style="--leaf: #4f6d50"><h2>Sencha</h2><p>Green, from Shizuoka · 11 €</p></article>
  <article style="--leaf: #73302b"><h2>Rooibos</h2><p>Red, from Cederberg · 7 €</p></article>
  <article style="--leaf: #a3a06b"><h2>Silver needle</h2><p>White, from Fuding · 24 €</p></article>
</main><script>
  const offer = (name, title, description, properties, annotations, execute) => document.modelContext.registerTool(
    { name, title, description, inputSchema: { type: "object", properties }, annotations, execute });
  const text = { type: "string" };
  offer("find_tea", "Find tea", "Finds teas by name, origin and taste.", { taste: text }, { readOnlyHint: true }, () => "Longjing, Sencha");
  offer("list_orders", "List orders", "Your orders of the last year.", {}, { readOnlyHint: true }, () => "None");
  offer("place_order", "Place the order", "Orders what is in the basket, and pays with your card.",
    { teas: { type: "array" }, address: text }, { destructiveHint: true }, () => "Ordered");
</script></html>`;

await ensureBuilt();
mkdirSync(folder, { recursive: true });
const { createHub } = await import(new URL("../dist/hub/public.js", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "pagewire-extension-pictures-"));
const hub = await createHub({ port: 0, agentToken: () => token });
try {
  const context = await openBrowser();
  try {
    await takePictures(context);
  } finally {
    await context.close();
  }
} finally {
  await hub.close();
  rmSync(home, { recursive: true, force: true });
}

/** With the built extension, which may access the shop: its prompt cannot be answered by a program. */
async function openBrowser() {
  const extension = join(home, "extension");
  cpSync(join(root, "dist/extension/chrome"), extension, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(extension, "manifest.json"), "utf8"));
  writeFileSync(join(extension, "manifest.json"), JSON.stringify({ ...manifest, host_permissions: [`${shop}/*`] }));
  return chromium.launchPersistentContext(join(home, "profile"), {
    ...{ executablePath: findChromium(), viewport: size, colorScheme: "light" },
    ignoreDefaultArgs: ["--disable-extensions"],
    args: [
      ...["--no-sandbox", "--enable-features=WebMCP", "--hide-scrollbars"],
      ...[`--load-extension=${extension}`, `--disable-extensions-except=${extension}`],
    ],
  });
}

async function takePictures(context) {
  await context.route(`${shop}/**`, (route) =>
    route.fulfill({ contentType: "text/html; charset=utf-8", body: shopPage }),
  );
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  const own = `chrome-extension://${new URL(worker.url()).host}`;

  const popup = await context.newPage();
  await popup.setViewportSize({ width: 360, height: 600 });
  await popup.goto(`${own}/popup.html`);
  const { code } = await ask("/api/browser-codes");
  await popup.getByLabel("Address and code").fill(`${hub.url}#${code}`);
  await popup.getByLabel("Name of this browser").fill("Chrome at home");
  const pairing = await popup.locator("#app").screenshot();
  await popup.getByRole("button", { name: "Pair", exact: true }).click();
  await popup.getByText("Pause everything").waitFor();

  const page = await context.newPage();
  await page.goto(shop);
  await waitForTools();
  const shot = await page.screenshot();
  await call("find_tea", { taste: "fresh" });
  await call("list_orders", {});

  const opened = context.waitForEvent("page", (other) => other.url().endsWith("/ask.html"));
  const ordering = call("place_order", { teas: ["Longjing", "Sencha"], address: "12 Dorset Street, London" });
  const question = await opened;
  await question.getByRole("button", { name: "Refuse" }).and(question.locator(":enabled")).waitFor();
  await question.setViewportSize({ width: 480, height: 500 });
  const asked = await question.screenshot();
  await question.getByRole("button", { name: "Allow once" }).click();
  await ordering;

  const tab = await worker.evaluate(async () =>
    Object.keys(await chrome.storage.session.get(null)).find((name) => name.startsWith("tab:")),
  );
  await popup.goto(`${own}/popup.html?tab=${tab.slice("tab:".length)}`);
  await popup.getByText("Done").nth(2).waitFor();
  const used = await popup.locator("#app").screenshot();

  const settings = await context.newPage();
  await settings.setViewportSize(size);
  await settings.goto(`${own}/options.html`);
  await settings.getByText("Always allowed").waitFor();
  await settings.screenshot({ path: join(folder, "4-settings.png") });

  const sheet = await context.newPage();
  await sheet.setViewportSize(size);
  const corner = "top: 12px; right: 24px";
  const windows = {
    "1-popup": [used, corner],
    "2-question": [asked, "top: 140px; left: 400px"],
    "3-pairing": [pairing, corner],
  };
  for (const [name, [above, place]] of Object.entries(windows)) {
    await sheet.setContent(laid(shot, above, place));
    await sheet.screenshot({ path: join(folder, `${name}.png`) });
  }
}

async function waitForTools() {
  for (;;) {
    const { result } = await call("list_browser_tabs", {});
    if (result?.structuredContent?.tabs?.some(({ tools }) => tools.length === 3)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Lays a picture over the shop's, as a window. */
function laid(below, above, place) {
  const data = (picture) => `data:image/png;base64,${picture.toString("base64")}`;
  return `<body style="margin: 0"><img src="${data(below)}" style="display: block; filter: brightness(0.88)">
    <img src="${data(above)}" style="position: fixed; ${place}; border-radius: 10px; box-shadow: 0 12px 40px #0006">`;
}

async function ask(path, body = {}, agent = "pictures") {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "user-agent": agent };
  const response = await fetch(hub.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return response.json();
}

function call(tool, input) {
  return ask(`/api/call/${tool}`, input, "claude-code");
}
