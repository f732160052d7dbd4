import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { checkExample } from "../../scripts/lib/example-world.mjs";

const agent = fileURLToPath(new URL("agent.mjs", import.meta.url));

await checkExample(async ({ url, open, run, listed }) => {
  await assert.rejects(run(agent), /No open tab|ended with 1/);
  const page = await open(`${url}/demo/`);
  await listed("get_sales_data");

  const said = await run(agent);
  assert.match(said, /The best of the last 30 days was \d{4}-\d{2}-\d{2}: \$[\d.]+ from \d+ orders\./);
  const [day] = /\d{4}-\d{2}-\d{2}/.exec(said);
  const notes = await page.locator('[data-target="notes"]').textContent();
  assert.match(notes, /The best of 30 days\./);
  assert.match(notes, /best-day/);
  console.log(`The note about ${day} is in the page.`);
});
