import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { checkExample } from "../../scripts/lib/example-world.mjs";

const names = ["Shopping", "Travel", "Ideas"];

await checkExample(async ({ url, token, servePage, open, listed }) => {
  const html = readFileSync(new URL("index.html", import.meta.url), "utf8").replace("http://127.0.0.1:7337", url);
  // As the README says: the hub hands the workers out, and the page's own server serves them.
  const paths = ["/pagewire-worker.js", "/pagewire-service-worker.js"];
  const workers = await Promise.all(paths.map(async (path) => [path, await (await fetch(url + path)).text()]));
  const address = await servePage(html, Object.fromEntries(workers));

  const first = await open(`${address}/#${names[0]}`);
  const tabs = [first];
  for (const name of names.slice(1)) {
    const tab = await first.context().newPage();
    await tab.goto(`${address}/#${name}`);
    tabs.push(tab);
  }
  for (const tab of tabs) await tab.locator("#state", { hasText: "By: shared-worker." }).waitFor();
  await listed("write_note", tabs.length);

  const client = new Client({ name: "check", version: "1.0.0" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit }));
  const call = async (name, parameters = {}) => {
    const { content, isError = false, structuredContent } = await client.callTool({ name, arguments: parameters });
    return { isError, text: content[0].text, value: structuredContent };
  };
  const openTabs = async () => (await call("list_browser_tabs")).value.tabs;
  const idOf = async (title) => (await openTabs()).find((tab) => tab.title === title)?.tabId;
  const texts = () => Promise.all(tabs.map((tab) => tab.locator("textarea").inputValue()));

  // Three tabs, one set of tools, and each of them takes a tab's id.
  assert.deepEqual((await openTabs()).map((tab) => tab.title).sort(), names.toSorted());
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.slice(3).map((tool) => tool.name),
    ["read_note", "write_note"],
  );
  assert.ok(tools.slice(3).every((tool) => tool.inputSchema.properties.tabId));

  // A call lands in the tab that it names, and in no other.
  const travel = await idOf("Travel");
  await call("write_note", { line: "Passport", tabId: travel });
  assert.deepEqual(await texts(), ["", "Passport\n", ""]);
  await Promise.all(
    names.map(async (name) => call("write_note", { line: `A line for ${name}`, tabId: await idOf(name) })),
  );
  assert.deepEqual(
    await texts(),
    names.map((name) => `${name === "Travel" ? "Passport\n" : ""}A line for ${name}\n`),
  );

  // A tab that navigates is the tab that it was, under its new title.
  await tabs[1].goto(`${address}/#Packing`);
  while ((await idOf("Packing")) !== travel) await new Promise((resolve) => setTimeout(resolve, 50));

  // A tab that does not exist is an error that says which there are.
  const nowhere = await call("read_note", { tabId: "abc-123" });
  assert.ok(nowhere.isError);
  assert.match(nowhere.text, /Packing/);

  // The tab that had the worker first closes: the others go on, and the tools stay.
  await first.close();
  tabs.shift();
  assert.equal((await call("read_note", { tabId: travel })).value.name, "Packing");
  assert.deepEqual(
    (await client.listTools()).tools.slice(3).map((tool) => tool.name),
    ["read_note", "write_note"],
  );
  await client.close();
});
