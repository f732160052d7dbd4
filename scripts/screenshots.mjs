// `npm run screenshots`: the pictures in docs/images of the demo and its assistant, at desktop and phone width, light and
// dark. One conversation with the rehearsal model is held, and photographed from all sides.
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
const sizes = {
  demo: { desktop: { width: 1440, height: 900 }, phone },
  assistant: { desktop: { width: 1024, height: 900 }, phone },
};

await ensureBuilt();
mkdirSync(folder, { recursive: true });
const home = mkdtempSync(join(tmpdir(), "pagewire-screenshots-"));
const hub = startHub();
try {
  const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
  try {
    const pages = await holdConversation(
      await browser.newContext({ viewport: sizes.demo.desktop }),
      await addressesOf(hub),
    );
    for (const [name, page] of Object.entries(pages)) await photograph(name, page);
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
  return spawn(process.execPath, [command, "--port", "0", "--model", "rehearsal", "--json"], {
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

async function photograph(name, page) {
  for (const [size, viewport] of Object.entries(sizes[name])) {
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
