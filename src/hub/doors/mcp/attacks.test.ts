import { expect, test } from "vitest";
import { startHub } from "../../test-support/hub.test-helper.ts";
import { byHand, connectPage, plainResult } from "../../test-support/page.test-helper.ts";
import { modern, openSession, sendRaw } from "./test-support/raw-mcp.test-helper.ts";

const work = { name: "work", arguments: {} };
const wrongValues: readonly unknown[] = [
  null,
  0,
  -1,
  "",
  "x",
  true,
  [],
  [1],
  {},
  { __proto__: null, constructor: 1 },
  { name: [] },
];

const fields: Readonly<Record<string, readonly string[]>> = {
  "tools/list": ["cursor"],
  "prompts/list": ["cursor"],
  "resources/list": ["cursor"],
  "resources/templates/list": ["cursor"],
  "tools/call": ["name", "arguments", "idempotencyKey", "requestState", "inputResponses"],
  "prompts/get": ["name", "arguments"],
  "resources/read": ["uri"],
  "completion/complete": ["ref", "argument", "context"],
  "logging/setLevel": ["level"],
  "resources/subscribe": ["uri"],
  "resources/unsubscribe": ["uri"],
  "subscriptions/listen": ["notifications"],
  "server/discover": ["x"],
  __proto__: ["x"],
  constructor: ["x"],
};

test("M15: parameters of any type get an answer of JSON-RPC for every method, and never a failure inside", async () => {
  const hub = await startHub();
  await connectPage(hub.url);
  const session = await openSession(hub);
  const answers = [];
  for (const [method, names] of Object.entries(fields)) {
    for (const name of names) {
      for (const value of wrongValues) {
        const params = {
          ...work,
          uri: "x:",
          ref: { type: "ref/prompt", name: "p" },
          argument: {},
          notifications: {},
          [name]: value,
        };
        const asked = [session.request(method, params), sendRaw(hub, modern(method, params))];
        for (const sent of asked) answers.push({ method, name, value, answer: await sent.whole() });
      }
    }
  }
  for (const { method, name, value, answer } of answers) {
    const last = answer.messages.at(-1);
    const what = JSON.stringify([method, name, value, answer.status, last]);
    expect(last, what).toBeDefined();
    expect(answer.status, what).toBeLessThan(500);
    expect(last?.error?.code, what).not.toBe(-32_603);
    expect("id" in (last ?? {}), what).toBe(true);
  }
  expect(JSON.stringify(hub.records)).not.toMatch(/"stage":"server"/);
});

test("M35: a session that ends cancels all of its calls, also several with one id", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const session = await openSession(hub);
  session.request("tools/call", work, 7);
  const { id: one } = await page.nextCall();
  session.request("tools/call", { name: "work", arguments: { other: 1 } }, 7);
  const { id: two } = await page.nextCall();
  for (const id of [one, two]) page.ack(id);
  await page.settled();
  await sendRaw(hub, { method: "DELETE", headers: session.headers }).whole();
  const cancelled = [(await page.next("cancel")).frame.id, (await page.next("cancel")).frame.id];
  expect(cancelled).toEqual([one, two]);
});

test("a cancellation ends every call with its id, and none of another type", async () => {
  const hub = await startHub();
  const page = await connectPage(hub.url, { handle: byHand });
  const session = await openSession(hub);
  const sent = [0, 1].map((n) => session.request("tools/call", { name: "work", arguments: { n } }, 7));
  const other = session.request("tools/call", { name: "work", arguments: { n: 2 } }, "7");
  const ids = [await page.nextCall(), await page.nextCall(), await page.nextCall()];
  for (const { id } of ids) page.ack(id);
  await page.settled();
  await session.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } }).whole();
  for (const one of sent) expect((await one.whole()).text).toMatch(/"pagewire\/outcome":"cancelled"/);
  const last = ids.find(({ arguments: given }) => given === '{"n":2}');
  page.result(last?.id ?? "", plainResult);
  expect((await other.whole()).messages).toMatchObject([{ id: "7", result: JSON.parse(plainResult) as object }]);
});

test("what needs no answer is answered with the headers of every answer, in both eras", async () => {
  const hub = await startHub();
  const session = await openSession(hub);
  const told = modern("notifications/cancelled", { requestId: 1 });
  const { id: _, ...body } = told.body;
  const answers = [sendRaw(hub, { ...told, body }), session.send({ jsonrpc: "2.0", method: "notifications/x" })];
  for (const { status, text, headers } of await Promise.all(answers.map((sent) => sent.whole()))) {
    expect([status, text, headers["cache-control"], headers["x-content-type-options"]]).toEqual([
      202,
      "",
      "no-store",
      "nosniff",
    ]);
  }
});

test("an address that no page can offer is not followed", async () => {
  const hub = await startHub();
  const session = await openSession(hub);
  const follow = async (length: number) =>
    (await session.request("resources/subscribe", { uri: "x".repeat(length) }).whole()).messages;
  expect(await follow(2048)).toMatchObject([{ result: {} }]);
  expect(await follow(2049)).toMatchObject([{ error: { code: -32_602 } }]);
});
