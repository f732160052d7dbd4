import { expect, test } from "vitest";
import { recordFault } from "../../../../test/support/record-fault.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { byHand, connectPage, plainResult } from "../../test-support/page.test-helper.ts";
import { heldBytes } from "../../test-support/held-bytes.test-helper.ts";
import type { TestPage } from "../../test-support/page.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";
import type { RawExchange } from "./test-support/raw-mcp.test-helper.ts";

const megabyte = 1024 * 1024;

const news = {
  progress: (page: TestPage, id: string, count: number) =>
    page.send({ type: "progress", id, progress: count, message: "x".repeat(4000) }),
  logs: (page: TestPage, id: string) =>
    page.send({ type: "log", id, level: "error" }, JSON.stringify("x".repeat(4000))),
};

type Begin = (hub: TestHub) => RawExchange | Promise<RawExchange>;

const params = { name: "work", arguments: {} };
const begins: readonly (readonly [string, Begin])[] = [
  [
    "without a session",
    (hub) => {
      const meta = { progressToken: "t", "io.modelcontextprotocol/logLevel": "debug" };
      return sendRaw(hub, modern("tools/call", params, { meta }));
    },
  ],
  [
    "with a session",
    async (hub) => (await openSession(hub)).request("tools/call", { ...params, _meta: { progressToken: "t" } }),
  ],
];

test.each(begins)(
  "a client %s that reads nothing while its call floods costs little memory, and reads its result later",
  async (who, begin) => {
    const hub = await startHub();
    const page = await connectPage(hub.url, { handle: byHand });
    for (const [what, tell] of Object.entries(news)) {
      const sent = await begin(hub);
      const { id } = await page.nextCall();
      page.ack(id);
      tell(page, id, 0);
      await sent.stall();
      const before = heldBytes();
      let most = 0;
      const floods = 8000;
      for (let count = 1; count <= floods; count++) {
        tell(page, id, count);
        if (count % 2000 > 0) continue;
        await page.settled();
        most = Math.max(most, heldBytes() - before);
      }
      // Of the 32 MB that the page sent.
      expect(most).toBeLessThan(10 * megabyte);
      page.result(id, plainResult);
      const { messages } = await sent.whole();
      expect(messages.length).toBeLessThan(floods / 2);
      expect(messages.at(-1)).toMatchObject({ id: 1, result: JSON.parse(plainResult) });
      const told = messages.flatMap(({ params: one }) =>
        typeof one?.["progress"] === "number" ? [one["progress"]] : [],
      );
      expect(told).toEqual(told.toSorted((one, other) => one - other));
      recordFault("mcp", {
        fault: `A client ${who} reads nothing while its call sends 32 MB of ${what}`,
        expected: "less than 10 MB kept, the result arrives",
        observed: "less than 10 MB kept, the result arrives",
        count: floods,
      });
    }
  },
);

test.each(begins)(
  "a client %s that never reads a large answer is cut off after `requestTime`, and others are answered",
  async (_, begin) => {
    const hub = await startHub({ limits: { requestTime: 2000 } });
    const page = await connectPage(hub.url, { handle: byHand });
    const large = JSON.stringify({ content: [{ type: "text", text: "x".repeat(15 * megabyte) }] });
    const stalled: RawExchange[] = [];
    for (const withProgress of [false, true]) {
      const deaf = await begin(hub);
      stalled.push(deaf);
      const { id } = await page.nextCall();
      page.ack(id);
      if (withProgress) page.send({ type: "progress", id, progress: 1 });
      page.result(id, large);
      await deaf.stall();
      const other = sendRaw(hub, modern("tools/call", params, { client: "other" }));
      page.result((await page.nextCall()).id, plainResult);
      expect((await other.whole()).messages).toMatchObject([{ result: JSON.parse(plainResult) }]);
    }
    // A stopping hub only waits for clients that still read.
    await hub.drain();
    for (const deaf of stalled) await expect(deaf.whole()).rejects.toThrow("aborted");
  },
);

test("a client that does not read its notification stream is disconnected", async () => {
  const hub = await startHub({ limits: { queuedBytes: 100_000, requestTime: 2000 } });
  const page = await connectPage(hub.url);
  const session = await openSession(hub);
  const resourceTemplates = [{ uriTemplate: "test://{id}", name: "test" }];
  page.send({ type: "offer" }, JSON.stringify({ resourceTemplates }));
  const uris = Array.from({ length: 300 }, (_, index) => `test://${index}${"x".repeat(2000)}`);
  for (const uri of uris) await session.request("resources/subscribe", { uri }).whole();
  const notifications = { resourceSubscriptions: uris };
  const listeners = [session.listen(), sendRaw(hub, modern("subscriptions/listen", { notifications }))];
  for (const deaf of listeners) await deaf.stall();
  // The log has one refusal of each kind per minute; the counter does not exist before the first one.
  const cutOff = () => hub.metric('pagewire_refusals_total{code="too-slow"}').catch(() => 0);
  const before = heldBytes();
  // The operating system's own buffers hold some megabytes.
  while ((await cutOff()) < listeners.length) {
    for (const uri of uris) page.send({ type: "updated", uri });
    await page.settled();
  }
  expect(heldBytes() - before).toBeLessThan(10 * megabyte);
  for (const deaf of listeners) await expect(deaf.whole()).rejects.toThrow("aborted");
});
