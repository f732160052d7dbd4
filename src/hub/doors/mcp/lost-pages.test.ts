import { afterEach, expect, test, vi } from "vitest";
import { recordFault } from "../../../../test/support/record-fault.ts";
import { closeReason, defaultLimits } from "../../../wire/index.ts";
import { startHub } from "../../test-support/hub.test-helper.ts";
import type { TestHub } from "../../test-support/hub.test-helper.ts";
import { byHand, connectPage, helloOf, offerOf, openPage, plainResult } from "../../test-support/page.test-helper.ts";
import type { TestPage } from "../../test-support/page.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";
import type { RawExchange } from "./test-support/raw-mcp.test-helper.ts";

afterEach(() => void vi.useRealTimers());

const done = JSON.parse(plainResult) as object;
const work = { name: "work", arguments: {} };
// The hub ignores unknown fields.
const forms = { plain: work, "with a field of its own": { ...work, aside: true } };

/** The same call in both eras and forms. */
async function callers(hub: TestHub): Promise<Readonly<Record<string, () => RawExchange>>> {
  const session = await openSession(hub);
  let requests = 0;
  return Object.fromEntries(
    Object.entries(forms).flatMap(([form, params]) => [
      [`${form}, stateless`, () => sendRaw(hub, modern("tools/call", params))],
      [`${form}, in a session`, () => session.request("tools/call", params, ++requests)],
    ]),
  );
}

interface Loss {
  readonly happens: (page: TestPage) => void;
  /** The outcomes of a call without an ack, and of one with an ack. */
  readonly before: readonly [outcome: string, ran: string];
  readonly after: readonly [outcome: string, ran: string];
}

const losses: Readonly<Record<string, Loss>> = {
  "says good-bye": {
    happens: (page) => page.send({ type: "bye" }),
    before: ["not-delivered", "no"],
    after: ["outcome-unknown", "maybe"],
  },
  "closes, or reloads,": {
    happens: (page) => page.link.close(closeReason("going-away")),
    before: ["not-delivered", "no"],
    after: ["outcome-unknown", "maybe"],
  },
  "is cut off and does not come back": {
    happens: (page) => page.socket.terminate(),
    before: ["outcome-unknown", "maybe"],
    after: ["outcome-unknown", "maybe"],
  },
  "is cut off for a frame that is none": {
    happens: (page) => page.socket.send("nonsense"),
    before: ["outcome-unknown", "maybe"],
    after: ["outcome-unknown", "maybe"],
  },
  "is frozen": {
    happens: (page) => page.send({ type: "suspended", reason: "frozen" }),
    before: ["page-suspended", "maybe"],
    after: ["page-suspended", "maybe"],
  },
  "goes into the back/forward cache": {
    happens: (page) => page.send({ type: "suspended", reason: "back-forward-cache" }),
    before: ["page-suspended", "maybe"],
    after: ["page-suspended", "maybe"],
  },
};

test.each(Object.entries(losses))(
  "the client of a page that %s in the middle of a call is told what became of it, in both eras",
  async (name, { happens, before, after }) => {
    const hub = await startHub({ limits: { graceTime: 30 } });
    let count = 0;
    for (const [how, begin] of Object.entries(await callers(hub))) {
      for (const isAcked of [false, true]) {
        const page = await connectPage(hub.url, { tab: `tab-${count}`, handle: byHand });
        const sent = begin();
        const { id } = await page.nextCall();
        if (isAcked) page.ack(id);
        await page.settled();
        happens(page);
        const [outcome, ran] = isAcked ? after : before;
        const [message] = (await sent.whole()).messages;
        expect(message, how).toMatchObject({
          result: { isError: true, _meta: { "pagewire/outcome": outcome, "pagewire/ran": ran } },
        });
        expect(JSON.stringify(message)).toMatch(ran === "no" ? /safe to try again/ : /Look before you try again/);
        page.socket.terminate();
        await expect.poll(() => hub.metric("pagewire_tabs")).toBe(0);
        count++;
      }
    }
    recordFault("mcp", {
      fault: `A page ${name} in the middle of a call, before and after its ack, in both eras`,
      expected: `${before.join(", ran: ")} / ${after.join(", ran: ")}`,
      observed: `${before.join(", ran: ")} / ${after.join(", ran: ")}`,
      count,
    });
  },
);

test("a page that is cut off and comes back ends its calls, in both eras", async () => {
  const hub = await startHub();
  for (const [how, begin] of Object.entries(await callers(hub))) {
    for (const isAcked of [false, true]) {
      const tab = `${how}-${String(isAcked)}`.replace(/\W/g, "");
      const page = await connectPage(hub.url, { tab, handle: byHand });
      const sent = begin();
      const { id } = await page.nextCall();
      if (isAcked) page.ack(id);
      await page.settled();
      page.socket.terminate();
      const back = await openPage(hub.url, { tab, handle: byHand });
      back.send({ ...helloOf({ tab }), running: isAcked ? [id] : [] });
      await back.next("welcome");
      back.send({ type: "offer" }, offerOf());
      // The page is asked for the call's state, or gets the call again.
      expect((await back.nextCall()).id).toBe(id);
      back.ack(id);
      back.result(id, plainResult);
      expect((await sent.whole()).messages, how).toMatchObject([{ result: done }]);
      back.send({ type: "bye" });
      await back.settled();
      back.socket.terminate();
    }
  }
});

test("a call to a page that is frozen, or away, waits for nothing that cannot come", async () => {
  const hub = await startHub();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const page = await connectPage(hub.url, { handle: byHand });
  const begins = Object.entries(await callers(hub));
  page.send({ type: "suspended", reason: "frozen" });
  await page.settled();
  for (const [how, begin] of begins) {
    expect((await begin().whole()).messages, how).toMatchObject([
      { result: { isError: true, _meta: { "pagewire/outcome": "page-suspended", "pagewire/ran": "no" } } },
    ]);
  }
  page.send({ type: "resumed" });
  await page.settled();
  page.socket.terminate();
  // The hub sees messages on a later connection after the end of this one.
  await sendRaw(hub, modern("tools/list", {})).whole();
  const away = begins.map(([, begin]) => begin());
  // An equal call waits for it a little.
  const inFlight = () => hub.metric("pagewire_calls_in_flight");
  while ((await inFlight()) < begins.length) vi.advanceTimersByTime(defaultLimits.twinPause);
  vi.advanceTimersByTime(defaultLimits.graceTime);
  for (const { messages } of await Promise.all(away.map((sent) => sent.whole()))) {
    expect(messages).toMatchObject([
      { result: { isError: true, _meta: { "pagewire/outcome": "page-gone", "pagewire/ran": "no" } } },
    ]);
  }
  expect(page.calls).toEqual([]);
  // Now there is no such tool any more.
  for (const [how, begin] of begins) {
    expect((await begin().whole()).messages, how).toMatchObject([{ error: { code: -32_602 } }]);
  }
});
