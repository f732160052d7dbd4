// Hubs of different versions, as in an upgrade of one after the other.
import { expect, test } from "vitest";
import { plain, runningCall } from "./memory-hubs.test-helper.ts";

test("MH84: a hub of another version is known by what both understand, and what is new in it breaks nothing", async () => {
  const { clock, broker, a, b, page, call, id } = await runningCall();
  const newer = broker.connect();
  const from = "n".repeat(22);
  const replies: string[] = [];
  newer.subscribe(`pagewire.test.hub.${from}`, (bytes) => replies.push(Buffer.from(bytes).toString()));
  const about = { name: "newer", version: "99.0.0", shards: [1, { of: 2 }] };
  const messages = [
    `lease ${from} 0 1 more words\n${JSON.stringify(about)}\n{}\nand more`,
    `moved-tab ${from} 0 2 1 2\n{}`,
    `state ${from} 0 3 new-topic more\n{"deep":{"er":[]}}`,
    `question ${from} 0 4 q1 new-question more\n{}`,
  ];
  for (const text of messages) newer.publish(`pagewire.test.hub.${a.cluster.id}`, Buffer.from(text));
  await clock.advance(10);
  expect(a.cluster.hubs).toContainEqual(expect.objectContaining({ id: from, ...about }));
  expect(replies.join("\n")).toMatch(/q1 refused\n.*route-not-found/);
  page.say({ type: "result", id }, plain);
  await clock.advance(10);
  expect(call.outcome).toMatchObject({ outcome: "ok" });
  expect(b.cluster.hubs.map((hub) => hub.id)).toContain(a.cluster.id);
});
