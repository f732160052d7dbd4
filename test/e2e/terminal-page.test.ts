// The hub's own terminals page, as its user sees it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { axeFindings } from "./axe.test-helper.ts";
import { tooFaint } from "./contrast.test-helper.ts";
import type { Tab } from "./support/tab.ts";
import { createTerminalWorld, mintCode } from "./terminal.test-helper.ts";
import type { TerminalWorld } from "./terminal.test-helper.ts";

let world: TerminalWorld;
beforeAll(async () => (world = await createTerminalWorld()));
afterAll(() => world.close());

/** Clicks an element in a terminal's list item, once it is there. */
async function clickIn(tab: Tab, name: string, selector: string): Promise<void> {
  await tab.waitFor(`${item(name)}?.querySelector(${JSON.stringify(selector)})`);
  await tab.evaluate(`${item(name)}.querySelector(${JSON.stringify(selector)}).click()`);
}

/** Opens the page in a window that has room for the list beside the terminal. */
async function openWide() {
  const terminal = await world.open();
  await resize(terminal.tab, 1200);
  return terminal;
}

const resize = (tab: Tab, width: number) =>
  tab.send("Emulation.setDeviceMetricsOverride", { width, height: 780, deviceScaleFactor: 1, mobile: false });

const says = (tab: Tab, text: string) => tab.waitFor(`document.querySelector(".status")?.textContent === "${text}"`);
const names = (tab: Tab) =>
  tab.evaluate<string[]>(() =>
    [...document.querySelectorAll(".terminals .title")].map((each) => String(each.textContent)),
  );
const item = (name: string) =>
  `[...document.querySelectorAll(".terminals li")].find((li) => li.textContent.includes(${JSON.stringify(name)}))`;

test("the code is gone from the address, what it was exchanged for is kept, and a reload needs no other", async () => {
  const { tab } = await world.open();
  expect(await tab.evaluate(() => location.href)).toBe(`${world.hub.url}/terminal`);
  expect(await tab.evaluate(() => Object.keys(localStorage))).toContain(`pagewire.shell-token ${world.hub.url}`);
  await tab.reload();
  await says(tab, "This tab acts for this terminal");
  // A used code in the address does no harm.
  await tab.evaluate(() => (location.hash = "#code=a-code-that-was-used"));
  await tab.waitFor(() => location.hash === "");
  await says(tab, "This tab acts for this terminal");
  await tab.close();
});

test("a signed-out person signs in again with a pasted code", async () => {
  const { tab } = await openWide();
  await tab.click(".side-foot button");
  await says(tab, "A code is needed");
  expect(await tab.evaluate(() => Object.keys(localStorage).filter((key) => key.includes("shell-token")))).toEqual([]);
  await tab.type("pagewire-terminal >>> #code", "wrong-code-1");
  await tab.press("Enter");
  await tab.waitFor(
    () => document.querySelector("pagewire-terminal")?.shadowRoot?.querySelector(".problem")?.textContent !== "",
  );
  await tab.type("pagewire-terminal >>> #code", await mintCode(world.hub));
  await tab.press("Enter");
  await says(tab, "This tab acts for this terminal");
  await tab.close();
});

test("terminals are started, named, switched between, and ended after a confirmation", async () => {
  const terminal = await openWide();
  const { tab } = terminal;
  const title = () => tab.evaluate<string>(() => String(document.querySelector("h1")?.textContent));
  // Until the terminal has its name, the page shows its default title.
  await tab.waitFor(() => document.querySelector("h1")?.textContent !== "Terminal");
  const first = await title();
  const id = await tab.evaluate<string>(() => String(sessionStorage.getItem("pagewire.terminal")));
  await terminal.type("echo first-$((40 + 2))");
  await terminal.shows("first-42");
  await tab.click(".begin");
  await tab.waitFor(`!["Terminal", ${JSON.stringify(first)}].includes(document.querySelector("h1").textContent)`);
  await terminal.ready();
  const second = await title();

  await clickIn(tab, second, "[title=Rename]");
  await tab.send("Input.insertText", { text: "Build machine" });
  await tab.press("Enter");
  await tab.waitFor(() => document.querySelector("h1")?.textContent === "Build machine");
  expect(await tab.evaluate(() => document.title)).toBe("Build machine · Terminal");

  await clickIn(tab, first, ".open");
  await terminal.shows("first-42");
  expect(await tab.evaluate(() => document.querySelector("[aria-current] .title")?.textContent)).toBe(first);

  await clickIn(tab, "Build machine", "[title=End]");
  await tab.waitFor(`${item("Build machine")}?.textContent.includes("The programs in it end.")`);
  await tab.press("Escape");
  expect(await names(tab)).toContain("Build machine");
  await clickIn(tab, "Build machine", "[title=End]");
  await clickIn(tab, "Build machine", ".danger button");
  await tab.waitFor(`!${item("Build machine")}`);
  expect(await names(tab)).toContain(first);

  // The terminal on screen can end, too; Enter starts another.
  await terminal.type("exit 3");
  await says(tab, "Ended");
  await tab.press("Enter");
  await says(tab, "This tab acts for this terminal");
  expect(await tab.evaluate((gone) => document.querySelector(`[data-id="${gone}"]`), id)).toBeNull();
  await tab.close();
});

test("of two tabs that show a terminal, the one with the focus says that it acts, the other that another one does", async () => {
  const { tab } = await world.open();
  const other = await tab.duplicate();
  await other.activate();
  await other.click("pagewire-terminal >>> .xterm-screen");
  await says(other, "This tab acts for this terminal");
  await says(tab, "Another tab acts for this terminal");
  await tab.activate();
  await tab.click("pagewire-terminal >>> .xterm-screen");
  await says(tab, "This tab acts for this terminal");
  await says(other, "Another tab acts for this terminal");
  await other.close();
  await tab.close();
});

test("a reload shows the same terminal with what it printed, and another tab a new one", async () => {
  const terminal = await world.open();
  const { tab } = terminal;
  await terminal.type("echo kept-$((40 + 2))");
  await terminal.shows("kept-42");
  const shown = () => tab.evaluate<string>(() => String(sessionStorage.getItem("pagewire.terminal")));
  const before = await shown();
  await tab.reload();
  await terminal.shows("kept-42");
  expect(await shown()).toBe(before);
  const { tab: another } = await world.open();
  expect(await another.evaluate(() => sessionStorage.getItem("pagewire.terminal"))).not.toBe(before);
  await another.close();
  await tab.close();
});

test("what runs in the terminal finds the standard actions in its tab", async () => {
  const terminal = await world.open();
  await says(terminal.tab, "This tab acts for this terminal");
  const { output } = await terminal.run("pagewire delegate --list");
  for (const action of ["fetch", "clipboard_write", "git_credential", "celebrate"]) expect(output).toContain(action);
  await terminal.tab.close();
});

test("the page can be read in both themes and on a narrow screen, and the choice of a theme is the home page's, too", async () => {
  const terminal = await world.open();
  const { tab } = terminal;
  await terminal.type(String.raw`printf '\033[2mdim \033[31mred \033[94mblue\033[0m\n'`);
  await terminal.shows("dim red blue");
  const theme = () => tab.evaluate<string>(() => String(document.documentElement.dataset["theme"]));
  for (const chosen of ["dark", "light"]) {
    if ((await theme()) !== chosen) await tab.click(".actions .square");
    expect(await theme()).toBe(chosen);
    await expect.poll(() => tab.evaluate(tooFaint)).toEqual([]);
  }
  expect(await tab.evaluate(() => localStorage.getItem("pagewire.theme"))).toBe("light");
  expect(await axeFindings(tab, "#app")).toEqual([]);
  await tab.send("Emulation.setDeviceMetricsOverride", {
    width: 390,
    height: 780,
    deviceScaleFactor: 1,
    mobile: false,
  });
  await tab.waitFor(() => document.querySelector(".menu")?.checkVisibility() === true);
  expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await tab.click(".menu");
  await tab.waitFor(() => document.activeElement?.classList.contains("side-close") === true);
  await expect.poll(() => tab.evaluate(tooFaint)).toEqual([]);
  await tab.press("Escape");
  await tab.waitFor(() => document.activeElement?.classList.contains("menu") === true);
  await tab.close();
});

test("a page that never shows a terminal does not load what draws one", async () => {
  world.served["/plain"] = `<title>Plain</title><div></div>
<script type="module">import * as terminal from "${world.hub.url}/terminal.js"; Object.assign(window, terminal);</script>`;
  const tab = await world.browser.open(world.app.url("/plain"));
  await tab.waitFor(() => "mountTerminal" in window);
  const parts = () =>
    tab.evaluate<string[]>(() =>
      performance.getEntriesByType("resource").flatMap(({ name }) => (/xterm|addon/.test(name) ? [name] : [])),
    );
  expect(await parts()).toEqual([]);
  await tab.evaluate("mountTerminal(document.querySelector('div'), { hub: location.origin })");
  await expect.poll(async () => (await parts()).length).toBeGreaterThan(1);
  await tab.close();
});
