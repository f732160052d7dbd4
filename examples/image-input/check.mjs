import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { checkExample } from "../../scripts/lib/example-world.mjs";

const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

await checkExample(async ({ url, servePage, open }) => {
  const html = readFileSync(new URL("index.html", import.meta.url), "utf8").replace("http://127.0.0.1:7337", url);
  const page = await open(await servePage(html));
  const status = page.getByRole("status");

  await page
    .getByLabel("Picture")
    .setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: Buffer.from(dot, "base64") });
  await page.locator("img:visible").waitFor();
  await page.getByRole("button", { name: "Ask" }).click();
  await page.waitForFunction(
    () => !document.querySelector("ai-agent").loading && document.querySelector("ai-agent").content,
  );

  // The rehearsal model sees that there is a picture, and says that it cannot see what is in it.
  assert.match(await status.textContent(), /image\/png/);
  const [asked] = await page.evaluate(() => document.querySelector("ai-agent").messages);
  assert.deepEqual(
    asked.content.map(({ type }) => type),
    ["text", "image"],
  );
  assert.ok(asked.content[1].url.startsWith("data:image/png;base64,"));
});
