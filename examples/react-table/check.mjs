import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { checkExample } from "../../scripts/lib/example-world.mjs";
import "./build.mjs";

const built = (name) => readFileSync(new URL(`dist/${name}`, import.meta.url), "utf8");

await checkExample(async ({ url, token, servePage, open, listed }) => {
  const html = built("index.html").replace("http://127.0.0.1:7337", url);
  const page = await open(await servePage(html, { "/main.js": built("main.js"), "/main.css": built("main.css") }));
  await listed("sort_teas");

  const lists = new EventTarget();
  const onChanged = (error, tools) => lists.dispatchEvent(new CustomEvent("changed", { detail: error ?? tools }));
  const listChanged = { tools: { onChanged } };
  const client = new Client({ name: "check", version: "1.0.0" }, { listChanged });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit }));

  const namesOf = (tools) =>
    tools.map(({ name }) => name).filter((name) => name.includes("tea") || name.includes("selected"));
  const call = async (name, parameters = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: parameters });
    return { isError, text: content[0].text, value: isError ? undefined : JSON.parse(content[0].text) };
  };
  const columnOf = (name) => page.locator(`td.${name}`).allTextContents();

  // Without a selection there is nothing to reorder, and no tool for it.
  assert.deepEqual(namesOf((await client.listTools()).tools).sort(), [
    "filter_teas",
    "get_teas",
    "select_teas",
    "sort_teas",
  ]);

  // An agent filters and sorts what the user sees.
  const filtered = await call("filter_teas", { kind: "oolong", inStock: true });
  assert.equal(filtered.value.matching, 4);
  assert.deepEqual(new Set(await columnOf("kind")), new Set(["oolong"]));
  await call("sort_teas", { column: "price", descending: true });
  assert.deepEqual(await columnOf("name"), ["Oriental Beauty", "Da Hong Pao", "Dong Ding", "Tie Guan Yin"]);
  assert.equal(await page.locator("th.price").getAttribute("aria-sort"), "descending");

  // A wrong call is refused with what is wrong, by the schema or by the handler.
  assert.match((await call("sort_teas", { column: "taste" })).text, /column/);
  assert.match((await call("select_teas", { ids: ["coffee"] })).text, /no tea with the id coffee/);

  // A selection adds a tool, and the client is notified.
  const changed = new Promise((resolve) => lists.addEventListener("changed", resolve, { once: true }));
  await call("select_teas", { ids: ["dong-ding", "oriental-beauty"] });
  assert.equal(await page.locator("tr[aria-selected=true]").count(), 2);
  const { detail: tools } = await changed;
  assert.match(tools.find(({ name }) => name === "reorder_selected").description, /dong-ding, oriental-beauty/);
  await call("reorder_selected", { kilograms: 5 });
  assert.deepEqual(await columnOf("stock"), ["6", "4", "12", "9"]);

  // The next call sees the user's changes.
  await page.getByRole("button", { name: "all", exact: true }).click();
  await page.getByLabel("Name or origin").fill("japan");
  const { value: seen } = await call("get_teas", { limit: 1 });
  assert.deepEqual([seen.matching, seen.rows[0].name, seen.selected], [4, "Gyokuro Asahi", []]);

  // The panel shows what was done, the newest first.
  const calls = await page.locator(".agents li").allTextContents();
  assert.match(calls[0], /^get_teascheckok, \d+ ms$/);
  assert.deepEqual(calls.map((text) => /rejected|tool-error/.exec(text)?.[0]).filter(Boolean), [
    "tool-error",
    "rejected",
  ]);
  await client.close();
});
