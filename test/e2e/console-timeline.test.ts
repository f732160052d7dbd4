// The console's timeline, with a shop whose tools are called while it is watched.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { axeFindings } from "./axe.test-helper.ts";
import type { Tab } from "./support/tab.ts";
import { createWorld } from "./support/world.ts";
import type { World } from "./support/world.ts";

let world: World;
let shop: Tab;
let tab: Tab;

beforeAll(async () => {
  world = await createWorld({ audit: { contents: ["echo", "look"] } });
  shop = await world.openShop();
  const headers = { Authorization: `Bearer ${world.token}` };
  const minted = await fetch(`${world.hub.url}/api/codes`, { method: "POST", headers });
  const { code } = (await minted.json()) as { code: string };
  tab = await world.browser.open(`${world.hub.url}/console#code=${code}`);
  await tab.waitFor("document.querySelector('main h1')");
});

afterAll(() => world?.close());

beforeEach(async () => {
  await resize(1280);
  await go("#/calls");
});

const resize = (width: number) =>
  tab.send("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: false });

async function go(hash: string): Promise<void> {
  await tab.evaluate((to) => void (location.hash = to), hash);
  await tab.waitFor("document.querySelector('.timeline')");
}

/** Texts of the tools in the list, the newest first. */
const tools = () =>
  tab.evaluate<string[]>(() =>
    [...document.querySelectorAll(".timeline .table-row")].map((row) => row.children[2]?.textContent ?? ""),
  );

const textOf = (selector: string) =>
  tab.evaluate((css) => document.querySelector(css)?.textContent?.replaceAll(/\s+/g, " ") ?? "", selector);

const clickOn = (text: string) =>
  tab.evaluate((wanted) => {
    const button = [...document.querySelectorAll<HTMLElement>("dialog[open] button, button")];
    button.find((each) => each.textContent?.trim() === wanted)?.click();
  }, text);

const echo = (tag: string) => world.call("echo", { tag });

test("calls come in as they happen; paused, they are counted, and come with one click", async () => {
  await echo("1");
  await world.call("missing", {});
  await expect.poll(async () => (await tools()).slice(0, 2)).toEqual(["missing", "echo"]);
  await clickOn("Pause");
  await echo("2");
  await expect.poll(() => textOf(".tail")).toContain("1 new");
  expect((await tools())[0]).toBe("missing");
  await clickOn("1 new");
  await expect.poll(async () => (await tools())[0]).toBe("echo");
  expect(await textOf(".tail-state")).toBe("Live");
});

test("a call that runs is there while it runs, and ends in its place", async () => {
  const ended = world.call("hold", { tag: "h" }, { timeout: 3 });
  await tab.waitFor("document.querySelector('.table-row .call-end')?.textContent.includes('running')");
  await ended;
  await expect.poll(() => textOf(".table-row .call-end")).toContain("deadline-exceeded");
  expect((await tools()).filter((name) => name === "hold")).toHaveLength(1);
});

test("a link has its filters, and what they leave out is not there", async () => {
  await world.call("fail", { tag: "f" });
  await go("#/calls?outcome=failed&tool=fail");
  await expect.poll(tools).toEqual(["fail"]);
  expect(await textOf(".chips")).toContain("Tool fail");
  await go("#/calls?text=NOTHING-IS-LIKE-THIS");
  await expect.poll(() => textOf(".timeline")).toContain("No call is like this");
  expect(await axeFindings(tab)).toEqual([]);
});

test("a running call is in the list of the filters that select it, and in no other", async () => {
  const ended = world.call("hold", { tag: "filtered" });
  const isRunning = "document.querySelector('.table-row .call-end')?.textContent.includes('running')";
  await tab.waitFor(isRunning);
  await go("#/calls?tool=fail");
  await expect.poll(async () => [...new Set(await tools())]).toEqual(["fail"]);
  await go("#/calls?tool=hold");
  await tab.waitFor(isRunning);
  await shop.evaluate("finish()");
  await ended;
});

test("a link opens a call: its steps, contents and decision; Escape leads back to the list", async () => {
  await echo("open me");
  const headers = { Authorization: `Bearer ${world.token}` };
  const latest = async () => {
    const answer = await fetch(`${world.hub.url}/api/calls?tool=echo&limit=1`, { headers });
    const [call] = ((await answer.json()) as { calls: { id: string; call: string; details: object }[] }).calls;
    return JSON.stringify(call?.details).includes("open me") ? call : undefined;
  };
  await expect.poll(latest).toBeTruthy();
  const { id = "", call = "" } = (await latest()) ?? {};
  for (const place of [id, call]) {
    await go(`#/calls/${place}?tool=echo`);
    await expect.poll(() => textOf("dialog.drawer")).toContain("In the page");
    const text = await textOf("dialog.drawer");
    for (const part of ["open me", "Nobody was asked", "The tool ran.", "shop"]) expect(text).toContain(part);
    expect(await axeFindings(tab, "dialog")).toEqual([]);
    await tab.press("Escape");
    await tab.waitFor("!document.querySelector('dialog') && location.hash === '#/calls?tool=echo'");
  }
});

test("a call is made again with one click; a tool that does not say it only reads asks first", async () => {
  await world.call("look", { tag: "seen" });
  await expect.poll(async () => (await tools())[0]).toBe("look");
  const before = (await tools()).filter((name) => name === "look").length;
  const open = (tool: string) =>
    tab.evaluate((name) => {
      const rows = [...document.querySelectorAll<HTMLElement>(".timeline .table-row")];
      rows.find((row) => row.children[2]?.textContent === name)?.click();
    }, tool);
  await open("look");
  await tab.waitFor("document.querySelector('dialog.drawer footer .button.strong')");
  await clickOn("Call it again");
  await expect.poll(async () => (await tools()).filter((name) => name === "look").length).toBe(before + 1);
  await tab.press("Escape");
  await tab.waitFor("!document.querySelector('dialog')");

  await echo("twice");
  await expect.poll(async () => (await tools())[0]).toBe("echo");
  await open("echo");
  await tab.waitFor("document.querySelector('dialog.drawer footer .button.strong')");
  await clickOn("Call it again");
  await tab.waitFor("document.querySelector('dialog.dialog[open]')");
  expect(await textOf("dialog.dialog")).toContain("does not say that it only reads");
  expect(await axeFindings(tab, "dialog.dialog")).toEqual([]);
  const count = (await tools()).filter((name) => name === "echo").length;
  await tab.evaluate(() => document.querySelector<HTMLElement>("dialog.dialog .button.danger")?.click());
  await expect.poll(async () => (await tools()).filter((name) => name === "echo").length).toBe(count + 1);
  await tab.press("Escape");
});

test("axe finds nothing wide and narrow, in both lists, and nothing is wider than the page", async () => {
  for (const width of [1280, 320]) {
    await resize(width);
    for (const name of ["Times by tool", "Calls"]) {
      await clickOn(name);
      await tab.waitFor("document.querySelector('.timeline .table-row')");
      expect(await axeFindings(tab)).toEqual([]);
      expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
  }
});
