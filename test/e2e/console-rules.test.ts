// The console's rules, clients and models, as the hub's owner uses them; and what an agent cannot do to them.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { axeFindings } from "./axe.test-helper.ts";
import { openChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { startHub } from "./support/hub-process.ts";
import type { HubProcess } from "./support/hub-process.ts";
import { startModelServer } from "./support/model-server.ts";
import type { ModelServer } from "./support/model-server.ts";
import { spawnOwned } from "./support/processes.ts";
import type { Tab } from "./support/tab.ts";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

let models: ModelServer;
let hub: HubProcess;
let browser: Browser;
let tab: Tab;

beforeAll(async () => {
  models = await startModelServer();
  const env = { OPENAI_API_KEY: "a-key-of-this-test", OPENAI_BASE_URL: models.origin };
  hub = await startHub({ args: ["--no-demo"], env });
  browser = await openChromium();
  const { text } = await pagewire("open", "console", "--print");
  tab = await browser.open(text.trim());
  await tab.waitFor("document.querySelector('main h1')");
});
afterAll(async () => {
  await browser?.close();
  await hub?.close();
  await models?.close();
});
beforeEach(() => resize(1280));

async function pagewire(...args: readonly string[]) {
  const { PATH, HOME } = process.env;
  const owned = await spawnOwned(process.execPath, [main, ...args], { env: { PATH, HOME, PAGEWIRE_HOME: hub.home } });
  const { code } = await owned.closed;
  return { code, text: owned.output() };
}

async function asAgent(method: string, path: string, body?: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${await hub.token()}`, "Content-Type": "application/json" };
  return fetch(`${hub.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

const resize = (width: number) =>
  tab.send("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: false });

async function show(place: string, ready: string): Promise<void> {
  await tab.evaluate((hash) => void (location.hash = hash), `#/${place}`);
  await tab.waitFor(`document.querySelector("main")?.innerText.includes(${JSON.stringify(ready)})`);
}

/** Types into the field with this label, over what it holds. */
async function fill(label: string, text: string): Promise<void> {
  const id = await tab.waitFor<string>(
    `[...document.querySelectorAll("main label")].find((each) => each.textContent === ${JSON.stringify(label)})?.htmlFor`,
  );
  await tab.evaluate((field) => document.getElementById(field)?.focus(), id);
  await tab.evaluate((field) => (document.getElementById(field) as HTMLInputElement).select(), id);
  await tab.send("Input.insertText", { text });
}

/** Presses a button with the keyboard, once it can be pressed. */
async function press(name: string): Promise<void> {
  const button = `[...document.querySelectorAll("main button")].find((each) => each.textContent.replaceAll(/\\s+/g, " ").trim() === ${JSON.stringify(name)} && !each.disabled)`;
  await tab.waitFor(`${button} !== undefined`);
  await tab.evaluate(`${button}.focus()`);
  await tab.press("Enter");
}

const shows = (text: string) =>
  tab.waitFor(`document.body.innerText.replaceAll(/\\s+/g, " ").includes(${JSON.stringify(text)})`);

/** Nothing for axe, wide and narrow, and nothing wider than the page. */
async function isSound(): Promise<void> {
  for (const width of [1280, 320]) {
    await resize(width);
    expect(await axeFindings(tab)).toEqual([]);
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
  await resize(1280);
}

test("an agent's token, and a page that it signed in, cannot change the rules, and are told who can", async () => {
  const writes = [
    ["PUT", "/api/policy", { rules: [] }],
    ["DELETE", "/api/policy", undefined],
    ["POST", "/api/origins", { origin: "https://evil.example" }],
    ["PUT", "/api/model", { model: "dear" }],
    ["POST", "/api/owner-codes", undefined],
  ] as const;
  for (const [method, path, body] of writes) {
    const response = await asAgent(method, path, body);
    expect([response.status, await response.json()]).toMatchObject([403, { error: { code: "option-refused" } }]);
  }
  const { code } = (await (await asAgent("POST", "/api/codes")).json()) as { readonly code: string };
  const other = await openChromium();
  onTestFinished(() => other.close());
  const page = await other.open(`${hub.url}/console#code=${code}`);
  await page.waitFor("document.querySelector('main h1')");
  await page.evaluate(() => void (location.hash = "#/rules/origins"));
  await page.waitFor("document.querySelector('main').innerText.includes('npx pagewire open')");
  expect(await page.evaluate(() => document.querySelector("main form"))).toBeNull();
  expect((await pagewire("allow", "--list", "--json")).text).toContain('"origins":[]');
});

test("the owner writes rules that are checked while typing and hold when they are saved, and tries a call", async () => {
  await show("rules", "There is no policy");
  await isSound();
  await press("Write rules");
  await fill("Rules, as JSON", '{ "rules": [{ "tool": "delete_*", "decision": "dany" }] }');
  await shows('line 1, column 47: A "decision" is');
  expect(await tab.evaluate(() => document.querySelector("textarea")?.getAttribute("aria-invalid"))).toBe("true");
  await fill("Rules, as JSON", '{ "rules": [{ "name": "no-deletes", "tool": "delete_*", "decision": "deny" }] }');
  await shows("Refuses calls of delete_*.");
  await fill("Tool", "delete_order");
  await press("Try it");
  await shows("deny by no-deletes");
  await isSound();
  expect((await pagewire("policy", "show")).text).toContain("There is no policy");
  await press("Save the rules");
  await shows("These rules hold now.");
  const denied = await asAgent("POST", "/api/policy/test", { tool: "delete_order" });
  expect(await denied.json()).toMatchObject({ decision: "deny", rule: { label: "no-deletes" } });
  expect((await pagewire("policy", "show")).text).toContain("no-deletes");
});

test("the owner allows an origin and takes it back, also one whose page was not let in", async () => {
  await fetch(`${hub.url}/pagewire.js`, { headers: { Origin: "https://new.example" } });
  await show("rules/origins", "No origin is allowed");
  await press("Allow https://new.example");
  await shows("Remove https://new.example");
  await press("Remove https://new.example");
  await shows("No origin is allowed but the hub's own.");
  await fill("Allow an origin", "shop.example");
  await press("Allow");
  await shows('Did you mean "http://shop.example"?');
  await fill("Allow an origin", "https://shop.example");
  await press("Allow");
  await shows("Remove https://shop.example");
  await isSound();
  expect((await pagewire("allow", "--list")).text).toBe("https://shop.example\n");
  await press("Remove https://shop.example");
  await shows("No origin is allowed but the hub's own.");
  for (const place of ["decisions", "pins"]) {
    await show(`rules/${place}`, place === "pins" ? "No tool is pinned" : "Nothing is decided for always");
    await isSound();
  }
});

test("a client that types its line is connected, and the console says so", async () => {
  await show("connect", "Claude Code");
  await shows("Not connected yet");
  await isSound();
  const { clients } = (await (await asAgent("GET", "/api/clients")).json()) as {
    readonly clients: readonly { readonly id: string; readonly line: string }[];
  };
  const line = clients.find(({ id }) => id === "claude-code")?.line ?? "";
  expect(await tab.evaluate(() => document.querySelector("main")?.textContent)).toContain(line);
  const started = line.slice(line.indexOf(" -- ") + 4);
  expect(line).toContain(`PAGEWIRE_HOME=${hub.home}`);
  // Elsewhere than the hub, and with no variable of its own: only with what the line says.
  const folder = join(hub.home, "elsewhere");
  await mkdir(folder);
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: folder, PAGEWIRE_HOME: hub.home };
  const client = new Client({ name: "claude-code", version: "2.1.0" });
  onTestFinished(() => client.close());
  await client.connect(
    new StdioClientTransport({ command: "sh", args: ["-c", started], cwd: folder, env, stderr: "ignore" }),
  );
  await client.listTools();
  await shows("claude-code 2.1.0 connected, seen");
});

test("the owner tests the model, and chooses another", async () => {
  await show("models", "openai/gpt-5.4-mini");
  await press("Test it");
  await shows("answers gpt-5.4-mini in");
  await isSound();
  const chosen = await pagewire("model", "use", "gpt-next");
  expect(chosen.text).toContain("New questions go to gpt-next.");
  const tested = await pagewire("model", "test");
  expect([tested.code, tested.text]).toEqual([0, expect.stringContaining("gpt-next answered")]);
  await hub.restart();
  expect((await pagewire("model")).text).toBe("openai/gpt-next\n");
});
