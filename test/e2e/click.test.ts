// The tests' own click: it stands in for a person's hand, which follows what moves.
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "./support/chromium.ts";
import type { Browser } from "./support/chromium.ts";
import { servePages } from "./support/page-server.ts";
import type { PageServer } from "./support/page-server.ts";

let browser: Browser;
let pages: PageServer;

beforeAll(async () => {
  browser = await launchChromium();
  pages = await servePages({
    "/": `<!doctype html><body><button id="wrong">No</button><br><button id="right">Yes</button><script>
window.clicks = [];
addEventListener("click", ({ target }) => clicks.push(target.id));
addEventListener("mousemove", () => document.querySelector("#wrong").before(document.createElement("hr")), { once: true });
</script>`,
    "/covered": `<!doctype html><body><button id="right">Yes</button><div id="cover" style="position:fixed;inset:0"></div><script>
window.clicks = [];
addEventListener("click", ({ target }) => clicks.push(target.id));
</script>`,
  });
});

afterAll(async () => {
  await browser?.close();
  await pages?.close();
});

test("an element that moves away under the pointer gets the click, and what came there instead does not", async () => {
  const tab = await browser.open(pages.url("/"));
  await tab.click("#right");
  expect(await tab.evaluate("clicks")).toEqual(["right"]);
});

test("what covers an element gets its click", async () => {
  const tab = await browser.open(pages.url("/covered"));
  await tab.click("#right");
  expect(await tab.evaluate("clicks")).toEqual(["cover"]);
});
