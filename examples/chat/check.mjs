import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { checkExample } from "../../scripts/lib/example-world.mjs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { kinds } from "./build.mjs";

const dist = fileURLToPath(new URL("dist", import.meta.url));

await checkExample(async ({ url, servePage, open }) => {
  const hub = url.replace("http://", "");
  const files = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .map((path) => {
      const address = `/${relative(dist, path)}`.replace(/index\.html$/, "");
      return [address, readFileSync(path, "utf8").replace("127.0.0.1:7337", hub)];
    });
  const address = await servePage("", Object.fromEntries(files));

  for (const kind of kinds) {
    const page = await open(`${address}/${kind}/`);
    const said = page.getByRole("article");
    const say = async (words) => {
      await page.getByLabel("Message", { exact: true }).fill(words);
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByRole("button", { name: "Stop the answer" }).waitFor({ state: "hidden" });
    };

    await say("Hello, who are you?");
    await said.nth(1).filter({ hasText: "rehearsal" }).waitFor();
    assert.equal(await said.count(), 2, kind);

    await say("What can you do?");
    await said.nth(3).waitFor();
    assert.equal(await said.count(), 4, kind);
    if (kind !== "plain") await page.getByRole("heading", { name: "Chat, 4 messages" }).waitFor();

    // The conversation is the server's: it is there after a reload.
    await page.reload();
    await said.nth(1).filter({ hasText: "rehearsal" }).waitFor();
    assert.equal((await said.first().innerText()).trim(), "Hello, who are you?", kind);
  }
});
