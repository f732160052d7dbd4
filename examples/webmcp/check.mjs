import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { checkExample } from "../../scripts/lib/example-world.mjs";
import "./build.mjs";
import { startServer } from "./server.mjs";

const pageTools = ["page.get_url", "page.scroll_to_top", "page.set_theme"];
const serverTools = ["add", "draw_counter", "fail", "get_counter", "list_additions"].map((name) => `remote.${name}`);
const kept = mkdtempSync(join(tmpdir(), "pagewire-counter-"));
const file = pathToFileURL(join(kept, "counter.json"));

await checkExample(async ({ open }) => {
  for (const features of [["WebMCP"], []]) {
    const page = await open("about:blank", { features });
    const world = { page, isNative: features.length > 0, server: await startServer({ port: 0, file }) };
    try {
      await checkIn(world);
    } finally {
      await world.server.close();
    }
  }
});
rmSync(kept, { recursive: true });

async function checkIn(world) {
  const { page, isNative } = world;
  const { url } = world.server;
  const problems = [];
  page.on("pageerror", (error) => problems.push(error));
  // A server without sessions answers 405 to the one request for its news, which browsers print.
  const isNoNews = (text) => text.endsWith("status of 405 (Method Not Allowed)");
  page.on(
    "console",
    (message) => message.type() === "error" && !isNoNews(message.text()) && problems.push(message.text()),
  );
  await page.goto(url);

  const card = (name) => page.getByRole("article", { name, exact: true });
  const click = (name) => page.getByRole("button", { name, exact: true }).click();
  const said = (text) => page.getByRole("status").filter({ hasText: text }).first().waitFor();
  const shown = () => page.getByRole("article").evaluateAll((cards) => cards.map((each) => each.ariaLabel));
  const inBrowser = () =>
    page.evaluate(async () => (await document.modelContext.getTools()).map(({ name }) => name).sort());
  const invoke = async (name, answer) => {
    await card(name).getByRole("button", { name: "Invoke" }).click();
    await card(name).locator("output").filter({ hasText: answer }).waitFor();
  };

  // The page's own tools and the server's are in one list, the browser's.
  await page
    .getByRole("banner")
    .filter({ hasText: isNative ? "the browser’s own" : "the polyfill’s" })
    .waitFor();
  await said("ready, 5 tools");
  await card("remote.add").getByText("remote", { exact: true }).waitFor();
  assert.deepEqual((await shown()).sort(), [...pageTools, ...serverTools].sort());
  assert.deepEqual(await inBrowser(), [...pageTools, ...serverTools].sort());

  // Each can be called: with a form, with an error, with a picture.
  await invoke("page.get_url", url);
  await card("page.set_theme").getByLabel("theme").selectOption("dark");
  await invoke("page.set_theme", "The theme is dark.");
  assert.equal(await page.evaluate(() => document.documentElement.style.colorScheme), "dark");
  await invoke("remote.fail", "The database is locked.");
  await card("remote.add").getByLabel("amount").fill("5");
  await invoke("remote.add", "The counter is 5.");
  await invoke("remote.draw_counter", "");
  await page.waitForFunction(() => document.querySelector("img")?.naturalWidth === 240);
  assert.match(await page.locator("img").getAttribute("src"), /^data:image\/svg\+xml;base64,/);

  // The server has one tool more now, and says so by itself; an agent of the browser can call it.
  await said("ready, 6 tools");
  if (isNative) {
    const { content } = await page.webmcp.callTool("remote.add", { amount: 2 });
    assert.equal(content[0].text, "The counter is 7.");
  } else await invoke("remote.add", "The counter is 10.");

  // Disconnect takes the server's tools away and no others; the counter outlives the connection and the server.
  await click("Disconnect");
  await said("disconnected, 0 tools");
  assert.deepEqual(await inBrowser(), pageTools);
  await click("Connect");
  await said("ready, 6 tools");
  await invoke("remote.get_counter", isNative ? "The counter is 7." : "The counter is 10.");
  assert.deepEqual(problems, []);

  // A server that is away is said; Refresh tries again.
  await click("Disconnect");
  await world.server.close();
  await click("Connect");
  await said("failed, 0 tools");
  await page.getByRole("alert").filter({ hasText: "nobody answers there" }).waitFor();
  world.server = await startServer({ port: Number(new URL(url).port), file });
  await click("Refresh");
  await said("ready, 6 tools");
  assert.equal(await page.getByRole("alert").count(), 0);
  // A tool that goes when it has run takes its card along.
  await card("remote.reset_counter").getByRole("button", { name: "Invoke" }).click();
  await said("ready, 5 tools");
  await invoke("remote.get_counter", "The counter is 0.");
  await page.getByRole("region", { name: "Log" }).getByText("The server offers 5 tools.").first().waitFor();
}
