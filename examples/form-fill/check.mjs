import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { checkExample } from "../../scripts/lib/example-world.mjs";

await checkExample(async ({ url, servePage, open }) => {
  const html = readFileSync(new URL("index.html", import.meta.url), "utf8").replace("http://127.0.0.1:7337", url);
  const page = await open(await servePage(html));
  const words = page.getByLabel("In your words");
  const status = page.getByRole("status");
  const values = async () => ({
    name: await page.getByLabel("Name").inputValue(),
    guests: await page.getByLabel("Guests").inputValue(),
    date: await page.getByLabel("Date").inputValue(),
    vegetarian: await page.getByLabel("Vegetarian").isChecked(),
  });

  await words.fill("A table for Ada Lovelace on 2026-12-24, 4 guests, vegetarian");
  await page.getByRole("button", { name: "Fill in" }).click();
  await status.filter({ hasText: "Please check it." }).waitFor();
  assert.deepEqual(await values(), { name: "Ada Lovelace", guests: "4", date: "2026-12-24", vegetarian: true });

  // Each sentence starts afresh.
  await words.fill("Grace Hopper, 2 guests, on 2027-01-09");
  await page.getByRole("button", { name: "Fill in" }).click();
  await page.waitForFunction(() => document.forms[1].elements.guests.value === "2");
  await status.filter({ hasText: "Please check it." }).waitFor();
  assert.deepEqual(await values(), { name: "Grace Hopper", guests: "2", date: "2027-01-09", vegetarian: false });

  await page.getByRole("button", { name: "Book" }).click();
  await status.filter({ hasText: "Booked for Grace Hopper." }).waitFor();
});
