// The hub's own page of terminals where pages need a token.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signTerminalToken } from "pagewire/hub";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTerminalWorld } from "./terminal.test-helper.ts";
import type { TerminalWorld } from "./terminal.test-helper.ts";

const secret = "a secret that is only for these tests, and long";

let folder: string;
let world: TerminalWorld;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pagewire-jwt-"));
  const path = join(folder, "secret");
  await writeFile(path, secret, { mode: 0o600 });
  world = await createTerminalWorld({ hub: ["--jwt-secret-file", path] });
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true });
});

test("the hub's own page is its user's tab where pages need a token, also after a reload", async () => {
  const { hub, browser } = world;
  const token = await signTerminalToken({ secret, subject: "ada" });
  const response = await fetch(`${hub.url}/api/shell-codes`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}",
  });
  const { code } = (await response.json()) as { readonly code: string };
  const tab = await browser.open(`${hub.url}/terminal#code=${code}`);
  const isHere = `document.querySelector(".status")?.textContent === "This tab acts for this terminal"`;
  await tab.waitFor(isHere);
  await tab.reload();
  await tab.waitFor(isHere);
  expect(await tab.evaluate(() => location.href)).toBe(`${hub.url}/terminal`);
  await tab.close();
});
