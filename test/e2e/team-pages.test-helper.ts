// A company's hub over https with a real identity provider, and its pages in a real Chromium.
import { mkdir } from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { openBrowser } from "../../src/hub/team/test-support/browser.test-helper.ts";
import { openPage, signInWith, startTeamHub } from "../../src/hub/team/test-support/team-hub.test-helper.ts";
import type { TeamHub } from "../../src/hub/team/test-support/team-hub.test-helper.ts";
import type { HubOptions } from "../../src/hub/options/options.ts";
import { certificate } from "../support/certificates.ts";
import type { Browser } from "./support/chromium.ts";
import type { Tab } from "./support/tab.ts";

const assets = fileURLToPath(new URL("../../dist", import.meta.url));
const pictures = process.env["PAGEWIRE_PICTURES"];

export async function startHub(options: Partial<HubOptions> = {}): Promise<TeamHub> {
  const hub = await startTeamHub({ adminGroups: ["boss"] }, { assets, ...options });
  hub.provider.people.set("ada", { groups: ["boss"], name: "Ada Lovelace", email: "ada@acme.example" });
  hub.provider.people.set("bob", { groups: ["staff"], name: "Bob" });
  return hub;
}

/** Opens a page of the hub for this test. */
export async function openIn(browser: Browser, hub: TeamHub, path: string): Promise<Tab> {
  const tab = await browser.open(`${hub.url}${path}`);
  onTestFinished(async () => {
    await tab.send("Storage.clearDataForOrigin", { origin: hub.url, storageTypes: "all" });
    await browser.send("Storage.clearCookies");
    await browser.closeTabs();
  });
  return tab;
}

export const says = (text: string) => `document.body.innerText.includes(${JSON.stringify(text)})`;

export async function press(tab: Tab, text: string): Promise<void> {
  const find = `[...document.querySelectorAll("button, a")].find((each) => each.textContent.replaceAll(/\\s+/g, " ").trim().startsWith(${JSON.stringify(text)}))`;
  await tab.waitFor(find);
  await tab.evaluate(`{ const it = ${find}; it.focus(); it.click(); }`);
}

export async function signIn(tab: Tab): Promise<void> {
  await press(tab, "Sign in with Acme & Co");
  await tab.waitFor(says("Ada Lovelace, acme"));
}

export async function picture(tab: Tab, name: string, width = 1280): Promise<void> {
  if (pictures === undefined) return;
  await mkdir(pictures, { recursive: true });
  await tab.screenshot(join(pictures, `${name}.png`), { width, height: 800 });
}

/** An app of the company over https, whose page gets its tokens as the guide says. */
export async function startApp(hub: () => string): Promise<number> {
  const server = createServer(certificate, (_, response) => {
    response.setHeader("Content-Type", "text/html").end(`<!doctype html><title>The shop</title>
      <script src="${hub()}/pagewire.js" data-app="shop"></script>
      <script>
        const getToken = async () => {
          const asked = { method: "POST", credentials: "include", headers: { "Content-Type": "application/json" }, body: "{}" };
          const response = await fetch("${hub()}/api/page-tokens", asked);
          window.answered = response.status;
          return response.ok ? (await response.json()).token : null;
        };
        pagewire.registerTool({ name: "count", description: "Counts.", execute: () => "three" });
        pagewire.setToken(getToken);
      </script>`);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A person of the company as the API sees them, signed in in a browser of their own. */
export async function askAs(hub: TeamHub, person: string) {
  hub.provider.signInAs(person);
  const visitor = openBrowser();
  await signInWith(visitor, hub.url);
  const page = await openPage(visitor, hub.url);
  hub.provider.signInAs("ada");
  return async (asked: string, body?: object) => {
    const given = body === undefined ? {} : { body };
    return visitor.ask(hub.url, asked, { token: await page.bearer(), ...given });
  };
}
