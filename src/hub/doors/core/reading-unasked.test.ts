import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { connectPage } from "../../test-support/page.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { openStore } from "../../store/index.ts";
import { startCore } from "./core.test-helper.ts";
import type { CoreClient } from "./core.test-helper.ts";
import { callOnce, inputSchema } from "./model.test-helper.ts";
import { bank, mail, readOnly, settle, startTalking, talk } from "./talk.test-helper.ts";

/** A site's tab with a tool that claims to be read-only and returns a text. */
function connectReader(hub: TestHub, origin: string, more: object = readOnly) {
  const name = `read_${new URL(origin).hostname.split(".")[0]}`;
  return connectPage(hub.url, { origin, app: name, tab: name, tools: [{ name, inputSchema, ...more }] });
}

/** The question the user got when the model called its only tool. */
async function askedOf(client: CoreClient, decision: Parameters<typeof settle>[2] = true) {
  return (await settle(client, {}, decision)).asked.map(({ approval }) => approval?.reason);
}

test("in an agent's window a tool that only reads runs unasked where it is the parent's, and asks where it is another tab's", async () => {
  const hub = await startTalking(callOnce("other-tab_read_bank"));
  const tab = await connectReader(hub, bank);
  const { client } = await talk(hub, { other_tabs: true });
  const reason = "This conversation is about shop.example. The tool only reads, by its own word.";
  expect(await askedOf(client, false)).toEqual([reason]);
  expect(tab.calls).toEqual([]);
  // This conversation holds no other origin's text, so a decision for the whole conversation applies.
  expect(await askedOf(client, { approved: true, scope: "session" })).toEqual([reason]);
  expect(await askedOf(client)).toEqual([]);
  const parents = await startTalking(callOnce("parent-window_work"));
  const own = await talk(parents, { other_tabs: true });
  expect(await askedOf(own.client)).toEqual([]);
});

test("without a window, what only reads runs unasked where one site alone offers tools, and asks where several do", async () => {
  const hub = await startTalking(callOnce("read_bank"));
  await connectReader(hub, bank);
  const client = await startCore(hub.url, { token: hub.token });
  expect(await askedOf(client)).toEqual([]);
  await connectReader(hub, mail);
  const another = await startCore(hub.url, { token: hub.token });
  expect(await askedOf(another)).toEqual([
    "This conversation is about no page in particular. The tool only reads, by its own word.",
  ]);
  // This conversation is now about the bank; the first one always was.
  for (const each of [another, client]) expect(await askedOf(each)).toEqual([]);
});

test("which site a conversation is about survives the hub", async () => {
  const directory = mkdtempSync(join(tmpdir(), "pagewire-subject-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const store = () => openStore({ database: join(directory, "hub.db") });
  const hub = await startTalking(callOnce("read_bank"), { store });
  await connectReader(hub, bank);
  const { session } = await readOnce(hub);
  await hub.close();
  const again = await startTalking(callOnce("read_bank"), { store });
  for (const origin of [bank, mail]) await connectReader(again, origin);
  expect(await askedOf(await startCore(again.url, { token: again.token, session }))).toEqual([]);
  expect(await askedOf(await startCore(again.url, { token: again.token }))).toHaveLength(1);
});

async function readOnce(hub: TestHub): Promise<CoreClient> {
  const client = await startCore(hub.url, { token: hub.token });
  await settle(client, {}, true);
  return client;
}

test("a permanent permission lets another site's tool read without a question, until the tool is no longer read-only", async () => {
  const hub = await startTalking(callOnce("other-tab_read_bank"));
  const tab = await connectReader(hub, bank);
  const always = { approved: true, scope: "always" } as const;
  expect(await askedOf((await talk(hub, { other_tabs: true })).client, always)).toHaveLength(1);
  const { client } = await talk(hub, { other_tabs: true });
  expect(await askedOf(client, always)).toEqual([]);
  tab.link.close();
  await connectReader(hub, bank, {});
  expect(await askedOf(client, false)).toEqual([expect.stringContaining("has changed since you allowed it")]);
});
