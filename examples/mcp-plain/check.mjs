import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { checkExample } from "../../scripts/lib/example-world.mjs";

const clients = [
  { revision: "2025-11-25", mode: "legacy" },
  { revision: "2026-07-28", mode: { pin: "2026-07-28" } },
];

await checkExample(async ({ url, token, servePage, open, listed }) => {
  const html = readFileSync(new URL("index.html", import.meta.url), "utf8");
  const page = await open(await servePage(html.replace("http://127.0.0.1:7337", url)));
  await listed("add_to_basket");

  for (const { revision, mode } of clients) {
    const client = new Client({ name: `client of ${revision}`, version: "1.0.0" }, { versionNegotiation: { mode } });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit }));
    const added = await client.callTool({ name: "add_to_basket", arguments: { tea: "oolong", grams: 100 } });
    assert.equal(added.isError ?? false, false);
    const inPage = await page.locator("#basket li").last().textContent();
    assert.equal(inPage, `100 g of oolong, for client of ${revision}`);

    const refused = await client.callTool({ name: "add_to_basket", arguments: { tea: "oolong", grams: 5 } });
    assert.equal(refused.isError, true);
    assert.match(refused.content[0].text, /grams/);
    await client.close();
  }
});
