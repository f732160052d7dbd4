// `npm run screenshots`: the pictures in docs/images of every page of the hub, at desktop and phone width, light and dark.
// One conversation with the rehearsal model is held, and photographed from all sides.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright";
import { ensureBuilt } from "./build.mjs";
import { findChromium } from "./find-chromium.mjs";
import { root } from "./lib/root.mjs";

const folder = join(root, "docs", "images");
const question = "What were sales in the last 30 days by product?";
const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 800 };
const sizes = {
  demo: { desktop: { width: 1440, height: 900 }, phone },
  assistant: { desktop: { width: 1024, height: 900 }, phone },
};
/** Views of the console, by their part of its address. The one with the clients' commands names folders of this machine. */
const consoleViews = ["now", "try", "calls", "waits", "rules", "models", "parts"];

await ensureBuilt();
mkdirSync(folder, { recursive: true });
const home = mkdtempSync(join(tmpdir(), "pagewire-screenshots-"));
const hub = startHub();
try {
  const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
  try {
    const addresses = await addressesOf(hub);
    const context = await browser.newContext({ viewport: sizes.demo.desktop });
    const pages = await holdConversation(context, addresses);
    for (const [name, page] of Object.entries(pages)) await photograph(name, page);
    for await (const [name, page] of openHubPages(context, new URL(addresses.open).origin)) {
      await photograph(name, page);
      await page.close();
    }
  } finally {
    await browser.close();
  }
} finally {
  hub.kill();
  rmSync(home, { recursive: true, force: true });
}

function startHub() {
  const command = join(root, "dist", "cli", "main.js");
  const env = { ...process.env, PAGEWIRE_HOME: home };
  return spawn(process.execPath, [command, "--port", "0", "--model", "rehearsal", "--terminal", "--json"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** The hub's sign-in address, and the address of its demo. */
async function addressesOf({ stdout }) {
  for await (const line of createInterface({ input: stdout })) {
    const { event, open, demo } = JSON.parse(line);
    if (event === "hub-listening") return { open, demo };
  }
  throw new Error("The hub ended before it listened.");
}

/** Signs in, opens the demo and its assistant, and asks. */
async function holdConversation(context, addresses) {
  const hubPage = await context.newPage();
  await hubPage.goto(addresses.open);
  await hubPage.locator(".composer textarea").waitFor();
  await hubPage.close();

  const demo = await context.newPage();
  await demo.goto(addresses.demo);
  const [assistant] = await Promise.all([context.waitForEvent("page"), demo.locator("#assistant-open").click()]);
  await assistant
    .getByText(/, 11 tools$/)
    .first()
    .waitFor();
  await assistant.locator(".composer textarea").fill(question);
  await assistant.keyboard.press("Enter");
  await assistant.getByRole("button", { name: "Copy the answer" }).waitFor();
  await demo.locator("#activity .call.ended").waitFor();
  // The line that says who uses the page stays for a while.
  await demo.locator(".presence:not(.used)").waitFor();
  return { demo, assistant };
}

/** The hub's own pages, where the user is signed in by now. */
async function* openHubPages(context, hubOrigin) {
  const addresses = { home: "/", terminal: "/terminal" };
  for (const view of consoleViews) addresses[`console-${view}`] = `/console#/${view}`;
  for (const [name, address] of Object.entries(addresses)) {
    const page = await context.newPage();
    await page.goto(hubOrigin + address);
    await page.locator("h1").first().waitFor();
    // The console's views go on asking the hub: there is no moment without a request.
    await page.waitForTimeout(1500);
    yield [name, page];
  }
}

async function photograph(name, page) {
  for (const [size, viewport] of Object.entries(sizes[name] ?? { desktop, phone })) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      // A conversation is read from its question on.
      for (const talk of await page.locator(".talk-scroll").all())
        await talk.evaluate((element) => element.scrollTo(0, 0));
      const path = join(folder, `${name}-${size}-${colorScheme}.png`);
      await page.screenshot({ path, animations: "disabled" });
      console.log(path.slice(root.length + 1));
    }
  }
}
