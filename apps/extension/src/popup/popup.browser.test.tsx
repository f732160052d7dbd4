import { shownAsk, shownHub } from "pagewire/extension";
import type { ShownCall, ShownTool } from "pagewire/extension";
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { connected, hub, paired, shop, shopTab, showPage } from "../common/extension-under-test.test-helper.tsx";
import type { Start } from "../common/extension-under-test.test-helper.tsx";
import { Popup } from "./popup.tsx";

const showPopup = (start?: Start & { readonly hasWebMcp?: boolean }) =>
  showPage((store) => <Popup store={store} hasWebMcp={start?.hasWebMcp ?? true} />, start);

const tool = (name: string, more: Partial<ShownTool> = {}): ShownTool => ({
  ...{ name, description: `Does ${name}.`, readOnly: false },
  ...more,
});

const call = (id: string, more: Partial<ShownCall> = {}): ShownCall => ({
  ...{ id, tool: "add_item", agent: "claude-code", startedAt: Date.now() },
  ...more,
});

test("an unpaired browser is paired with one pasted line", async () => {
  const { all, button, sent, fake, text } = await showPopup({
    settings: { paused: false, sites: {} },
    session: {},
  });
  await expect.poll(() => all("input").length).toBe(2);
  const [line, name] = all("input") as HTMLInputElement[];
  if (!line || !name) throw new Error("A field is missing.");
  expect(name.value).toMatch(/^\w+ on \w+$/);
  expect(text()).toContain("npx pagewire extension");
  await userEvent.click(button("Pair"));
  await expect.poll(() => line.getAttribute("aria-invalid")).toBe("true");
  expect(sent).toEqual([]);
  await userEvent.fill(line, "http://127.0.0.1:7337#K7QX-2MBA");
  await userEvent.fill(name, "Work");
  await userEvent.keyboard("{Enter}");
  await expect
    .poll(() => sent)
    .toEqual([{ type: "pair", address: "http://127.0.0.1:7337", code: "K7QX-2MBA", browser: "Work" }]);
  await fake.api.storage.local.set({ hub });
  await expect.poll(() => all("form").length).toBe(0);
  expect(text()).toContain("Paired127.0.0.1:7337");
});

test("a pairing that fails says why, and can be tried again", async () => {
  const { all, button, text } = await showPopup({
    settings: { paused: false, sites: {} },
    reply: () => ({ ok: false, message: "The code is used or too old. Run npx pagewire extension again." }),
  });
  await expect.poll(() => all("input").length).toBe(2);
  await userEvent.fill(all("input")[0] as HTMLElement, "127.0.0.1:7337 K7QX-2MBA");
  await userEvent.click(button("Pair"));
  await expect.poll(text).toContain("The code is used or too old.");
  expect(button("Pair").ariaBusy).toBeNull();
});

test("a worker that does not answer is a sentence, not a wait", async () => {
  const { button, text } = await showPopup({ reply: () => undefined });
  await expect.poll(text).toContain("Pause everything");
  await userEvent.click(button("Pause everything"));
  await expect.poll(text).toContain("The extension did not answer.");
});

test.each([
  ["connected", connected, "Connected"],
  ["away", { status: "away", message: "The hub does not answer.", command: "npx pagewire" }, "The hub is away"],
  [
    "refused",
    { status: "refused", message: "This browser was removed.", command: "npx pagewire extension" },
    "The hub refuses this browser",
  ],
])("a hub that is %s is said in a line, with what helps", async (status, state, title) => {
  const { text, all } = await showPopup({ session: { [shownHub]: state } });
  await expect.poll(text).toContain(title);
  const hasCommand = status !== "connected";
  expect(all(".command").length).toBe(hasCommand ? 1 : 0);
  expect(text()?.includes(state.message)).toBe(hasCommand);
});

test("a browser that its hub does not know any more is paired again by a pasted line, under its name", async () => {
  const { all, button, sent, fake, text } = await showPopup({
    session: {
      [shownHub]: {
        status: "refused",
        message: "This browser was removed.",
        command: "npx pagewire extension --hub x",
      },
    },
  });
  await expect.poll(() => all("input").length).toBe(2);
  expect(text()).toContain("This browser was removed.");
  expect(all(".command").map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining("npx pagewire extension --hub x"),
  ]);
  const [line, name] = all("input") as HTMLInputElement[];
  if (!line) throw new Error("The field is missing.");
  expect(name?.value).toBe(hub.browser);
  await userEvent.fill(line, "http://127.0.0.1:7337#K7QX-2MBA");
  await userEvent.click(button("Pair"));
  await expect
    .poll(() => sent)
    .toEqual([{ type: "pair", address: hub.address, code: "K7QX-2MBA", browser: hub.browser }]);
  await fake.api.storage.session.set({ [shownHub]: connected });
  await expect.poll(() => all("form").length).toBe(0);
});

test("where the browser has no WebMCP, the popup says how a page finds the extension's, and loads it again", async () => {
  const { all, button, sent, showTab, fake, text } = await showPopup({ hasWebMcp: false });
  await expect.poll(text).toContain("choose “This tab” or “Always”, then load the page again");
  await showTab({ lasts: "tab" });
  await expect.poll(text).toContain("Load the page again, so that it finds WebMCP.");
  await userEvent.click(button("Reload"));
  expect(fake.reloaded).toEqual([shopTab.id]);
  await showTab({ lasts: "page" });
  await expect.poll(text).toContain("Allow this tab, and reload");
  await userEvent.click(button("Allow this tab, and reload"));
  await expect.poll(() => fake.reloaded.length).toBe(2);
  expect(sent).toEqual([{ type: "allow", tab: shopTab.id, origin: shop, lasts: "tab" }]);
  await showTab({ lasts: "tab", tools: [tool("pay")] });
  await expect.poll(text).toContain("1 tool");
  expect(all(".notice").length).toBe(0);
});

test("the popup says that a plain http site gets no WebMCP, rather than to load it again", async () => {
  const { fake, text } = await showPopup({ hasWebMcp: false, granted: ["http://shop.example/*"] });
  const tab = { ...shopTab, url: "http://shop.example/" };
  fake.tabs.set(shopTab.id, tab);
  fake.happens.tabUpdated.fire(shopTab.id, { status: "loading" }, tab);
  await expect.poll(text).toContain("the extension brings it to https sites only");
  expect(text()).not.toContain("Reload");
});

test("a browser that does not tell the pages of a tab apart offers no choice of a single page", async () => {
  const { all, fake, text } = await showPopup();
  await expect.poll(text).toContain("This page");
  Object.assign(fake.api.runtime, { getURL: (path: string) => `moz-extension://id/${path}` });
  const tab = { ...shopTab, url: "https://tea.example/" };
  fake.tabs.set(shopTab.id, tab);
  fake.happens.tabUpdated.fire(shopTab.id, { status: "loading" }, tab);
  await expect.poll(() => all(".allow button").map(({ textContent }) => textContent)).toEqual(["This tab", "Always"]);
  expect(text()).not.toContain("This page: until you leave it.");
});

test("a site is allowed for the page and for the tab, as long as the badge says", async () => {
  const { button, sent, showTab, text } = await showPopup();
  await expect.poll(text).toContain("Until you allow it, nothing here is read or offered.");
  await userEvent.click(button("This page"));
  await userEvent.click(button("This tab"));
  expect(sent).toEqual([
    { type: "allow", tab: shopTab.id, origin: shop, lasts: "page" },
    { type: "allow", tab: shopTab.id, origin: shop, lasts: "tab" },
  ]);
  await showTab({ lasts: "tab" });
  await expect.poll(text).toContain("Allowed in this tab");
  expect(text()).toContain("The extension offers no tools of this page so far.");
});

test("a site is allowed always by the browser's own permission, asked for in the click itself", async () => {
  const { button, sent, fake, text } = await showPopup();
  await expect.poll(text).toContain("Always");
  fake.grants = false;
  const click = button("Always");
  click.click();
  // Asked before anything else could run: browsers demand it.
  expect(fake.requests).toEqual([{ origins: ["https://shop.example:443/*"] }]);
  await expect.poll(text).toContain("Your browser did not allow it.");
  const asking = { type: "asking", origin: shop };
  expect(sent).toEqual([asking]);
  fake.grants = true;
  await userEvent.click(button("Always"));
  await expect.poll(text).toContain("Always allowed");
  expect(sent).toEqual([asking, asking, { type: "allow", tab: shopTab.id, origin: shop, lasts: "always" }]);
});

test("what agents may do at an allowed site is chosen, and the site removed", async () => {
  const { button, sent, text, all, fake } = await showPopup({ granted: ["https://shop.example/*"] });
  await expect.poll(text).toContain("You are asked before a tool changes anything.");
  await userEvent.click(button("Read only"));
  await userEvent.click(all("summary")[0] as HTMLElement);
  const [polyfill, reading] = all("input[role=switch]") as HTMLInputElement[];
  expect([polyfill?.checked, reading?.checked]).toEqual([true, false]);
  await userEvent.click(reading as HTMLElement);
  await userEvent.click(button("Remove this site"));
  expect(sent).toEqual([
    { type: "site", origin: shop, site: { calls: "read-only" } },
    { type: "site", origin: shop, site: { reading: true } },
    { type: "remove-site", origin: shop },
  ]);
  await fake.api.storage.local.set({ sites: { [shop]: { calls: "all", polyfill: true, reading: true } } });
  await expect.poll(text).toContain("Agents use every tool, and you are not asked.");
  await fake.api.permissions.remove({ origins: ["https://shop.example/*"] });
  await expect.poll(text).toContain("Until you allow it");
});

test("a removed site is not allowed, even where a wider permission covers it", async () => {
  const settings = { ...paired, removed: [shop] };
  const { text } = await showPopup({ settings, granted: ["https://shop.example/*"] });
  await expect.poll(text).toContain("Until you allow it");
});

test("the worker hears that the button was clicked, and a permission that is taken back leaves the site not allowed", async () => {
  const { opened, showTab, text } = await showPopup();
  await expect.poll(() => opened).toEqual([shopTab.id]);
  for (const lasts of ["always", undefined] as const) {
    await showTab({ lasts, tools: [tool("pay")] });
    await expect.poll(text).toContain("1 tool");
    expect(text()).toContain("Until you allow it");
  }
});

test("nothing of the site before is shown when the tab has gone to another one", async () => {
  const { fake, text, showTab } = await showPopup();
  await showTab({ lasts: "page", tools: [tool("pay")], calls: [call("c")] });
  await expect.poll(text).toContain("1 tool");
  const tab = { ...shopTab, url: "https://bank.example/" };
  fake.tabs.set(shopTab.id, tab);
  fake.happens.tabUpdated.fire(shopTab.id, { status: "loading" }, tab);
  await expect.poll(text).toContain("bank.example");
  expect(text()).not.toContain("pay");
  expect(text()).not.toContain("Last calls");
});

test("a page that no extension may use says so, and so do the hub's own pages", async () => {
  const { fake, text } = await showPopup();
  await expect.poll(text).toContain("shop.example");
  const go = (url?: string): void => {
    const { url: _before, ...rest } = shopTab;
    const tab = { ...rest, ...(url !== undefined && { url }) };
    fake.tabs.set(shopTab.id, tab);
    fake.happens.tabUpdated.fire(shopTab.id, { status: "loading" }, tab);
  };
  go();
  await expect.poll(text).toContain("This page is the browser's own, or a file.");
  go("chrome://extensions");
  await expect.poll(text).toContain("This page is the browser's own, or a file.");
  go(`${hub.address}/console`);
  await expect.poll(text).toContain("the hub's own pages");
});

test("tools are listed, and searched where there are many", async () => {
  const { all, showTab, text } = await showPopup();
  const tools = [...Array(12).keys()].map((index) => tool(`tool_${index}`));
  await showTab({ tools: [tool("find_tea", { title: "Find tea", readOnly: true }), ...tools] });
  await expect.poll(text).toContain("13 tools");
  const rows = () => all("section[aria-labelledby=tools] li").map(({ textContent }) => textContent);
  expect(rows()[0]).toBe("Find teafind_teaRead onlyDoes find_tea.");
  const search = all("input[type=search]")[0] as HTMLElement;
  await userEvent.fill(search, "TEA find");
  await expect.poll(() => rows().length).toBe(1);
  await userEvent.fill(search, "coffee");
  await expect.poll(text).toContain("No tool has these words.");
});

test("a tool's hidden characters are shown", async () => {
  const { showTab, text } = await showPopup();
  await showTab({ tools: [tool("pay", { title: "Pay\u202egnihton" })] });
  await expect.poll(text).toContain("Pay⟨U+202E⟩gnihton");
});

test("a running call is stopped from the list, and an ended one tells its outcome and its time", async () => {
  const { button, sent, showTab, text } = await showPopup();
  await showTab({ calls: [call("c2"), call("c1", { outcome: "ok", milliseconds: 1234 })] });
  await expect.poll(text).toContain("Running");
  expect(text()).toContain("Done");
  expect(text()).toContain("1.2 s");
  await userEvent.click(button("Stop add_item"));
  expect(sent).toEqual([{ type: "stop-call", tab: shopTab.id, call: "c2" }]);
  await showTab({ calls: [call("c2", { outcome: "cancelled", milliseconds: 10 })] });
  await expect.poll(text).toContain("Cancelled");
  await showTab({ calls: [call("c2", { outcome: "tool-error", stopped: true, milliseconds: 10 })] });
  await expect.poll(text).toContain("Stopped");
  expect(text()).not.toContain("failed");
});

test("a page whose tools are not with the hub says why", async () => {
  const { showTab, text, all } = await showPopup({ granted: ["https://shop.example/*"] });
  const tools = [tool("pay")];
  await showTab({
    tools,
    state: {
      status: "refused",
      message: "The hub refuses it.",
      code: "x",
      command: "npx pagewire extension",
      retryAt: 0,
    },
  });
  await expect.poll(text).toContain("The hub refuses it.");
  expect(all(".command").length).toBe(1);
  await showTab({ tools, note: "The page offers its tools to this hub itself." });
  await expect.poll(text).toContain("The page offers its tools to this hub itself.");
});

test("everything is paused and resumed, and a question that waits is said", async () => {
  const { button, sent, fake, text } = await showPopup();
  await expect.poll(text).toContain("Pause everything");
  await userEvent.click(button("Pause everything"));
  await fake.api.storage.local.set({ ...paired, paused: true });
  await expect.poll(text).toContain("Paused: agents see no page of this browser");
  await userEvent.click(button("Resume"));
  expect(sent).toEqual([
    { type: "pause", paused: true },
    { type: "pause", paused: false },
  ]);
  await fake.api.storage.session.set({ [shownAsk("a")]: { askedAt: 1 }, [shownAsk("b")]: { askedAt: 2 } });
  await expect.poll(text).toContain("2 questions wait for you");
});
