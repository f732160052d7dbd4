// Pages that offer nothing, read and pictured through the extension where their person switched that on.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createExtensionWorld } from "./extension.test-helper.ts";
import type { ExtensionWorld } from "./extension.test-helper.ts";
import type { Tab } from "./support/tab.ts";
import { waitUntil } from "./support/wait.ts";

const article = `<!doctype html><title>Tea</title><h1>Tea</h1><p>Hot <a href="/price?cup=1">water</a>.</p>
<p hidden>hidden</p><label>Name <input value="typed"></label><input type="password" value="secret" aria-label="Key">`;
const long = `<!doctype html><title>Long</title>${Array.from({ length: 500 }, (_, at) => `<p>paragraph ${at} ${"word ".repeat(20)}</p>`).join("")}`;

let world: ExtensionWorld;

beforeAll(async () => {
  world = await createExtensionWorld({
    limits: { graceTime: 500 },
    pages: () => ({ "/article": article, "/long": long }),
  });
  await world.pair();
  await reading(true);
});

afterEach(async () => {
  for (const tab of await world.browser.tabs()) if (await isOfSite(tab)) await tab.close();
  await waitUntil(
    async () => (await world.tabs()).length === 0,
    () => "A tab is still listed.",
  );
  await reading(true);
});

afterAll(() => world?.close());

const reading = async (isOn: boolean) =>
  expect(await world.send({ type: "site", origin: world.pages.origin, site: { reading: isOn } })).toEqual({ ok: true });

async function isOfSite(tab: Tab): Promise<boolean> {
  return (await tab.evaluate("location.origin")) === world.pages.origin;
}

test("a page without tools is read as markdown of what it shows, without what was typed", async () => {
  await world.open("/article");
  expect((await world.tabs())[0]?.tools).toEqual(["read_page", "screenshot"]);
  const { outcome, result } = await world.call("read_page", {});
  const { origin } = world.pages;
  expect(outcome).toBe("ok");
  expect(result?.content[0]?.text).toBe(
    `Tea\n${origin}/article\n\n# Tea\n\nHot [water](${origin}/price?cup=1).\n\nName [field: Name (text)] [field: Key (password)]`,
  );
  expect(result?.structuredContent).toMatchObject({ title: "Tea", part: 1, parts: 1 });
});

test("a long page is read in parts", async () => {
  await world.open("/long");
  const { result } = await world.call("read_page", { part: 2 });
  expect(result?.structuredContent).toMatchObject({ part: 2, parts: 3 });
  expect(await world.call("read_page", { part: 9 })).toMatchObject({
    result: { isError: true, content: [{ text: "There is no part 9: the page has 3 now." }] },
  });
  expect(await world.call("read_page", { part: 0 })).toMatchObject({ error: { code: "input-invalid" } });
});

test("reading is beside a page's own tools, and goes and comes with the site's setting, without a reload", async () => {
  await world.open("/");
  const tools = async () => (await world.tabs())[0]?.tools.toSorted();
  expect(await tools()).toEqual(expect.arrayContaining(["price_of", "read_page", "screenshot"]));
  await reading(false);
  await expect.poll(tools).toEqual(["buy", "price_of", "wait"]);
  expect(await world.call("read_page", {})).toMatchObject({ ran: "no", error: { code: "tool-not-found" } });
  await reading(true);
  await expect.poll(tools).toContain("read_page");
});

test("a picture needs one click on the extension's button, and a visible tab", async () => {
  const tab = await world.open("/article");
  const before = await tab.evaluate("document.documentElement.outerHTML");
  await tab.activate();
  const refused = await world.call("screenshot", {});
  expect(refused.result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("clicked the extension's button on this tab") as string }],
  });
  await world.clickButton(tab);
  const pictured = async () => (await world.call("screenshot", {})).result;
  let image: { readonly text?: string; readonly mimeType?: string; readonly data?: string } | undefined;
  // The browser takes two a second.
  await expect.poll(async () => (image = (await pictured())?.content[0])).toMatchObject({ type: "image" });
  expect(image?.mimeType).toBe("image/jpeg");
  expect([...Buffer.from(image?.data ?? "", "base64").subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  await tab.hide();
  expect(await pictured()).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("not visible") as string }],
  });
  expect(await tab.evaluate("document.documentElement.outerHTML")).toBe(before);
});
