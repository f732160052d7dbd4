import { expect, test, vi } from "vitest";
import type { Outcome } from "../../../wire/index.ts";
import { offer, respond, startSession } from "./window-session.test-helper.ts";

test("a call is sent with an unguessable id, the model's id, and the remaining time", async () => {
  const { connect, call, settled } = startSession();
  const socket = connect();
  const [one, two] = [call(), call({ callId: "c1", arguments: { n: 2 } })];
  await settled();
  expect(socket.came).toEqual([
    {
      type: "tool_call",
      request_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/),
      tool_name: "work",
      arguments: { n: 1 },
      tool_call_id: "c0",
      origin: "https://shop.example",
      left: 30_000,
      answer_bytes: 16_777_216,
    },
    expect.objectContaining({ tool_call_id: "c1", arguments: { n: 2 } }),
  ]);
  respond(socket, socket.came[1]?.request_id, { success: true, result: "second" });
  respond(socket, socket.came[0]?.request_id, { success: true });
  await settled();
  expect([one, two]).toEqual([{ value: null }, { value: "second" }]);
});

test("a call is a span, and the window is given its place in the trace", async () => {
  const trace = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "a=b" };
  const told: unknown[] = [];
  const span = { trace, ended: ({ outcome }: Outcome) => void told.push(outcome), left: () => void told.push("left") };
  const begin = (...call: unknown[]) => {
    told.push(call);
    return span;
  };
  const { connect, call, settled } = startSession({}, { begin, current: () => undefined });
  const socket = connect();
  call({ arguments: { secret: 7 } });
  await settled();
  expect(socket.came).toEqual([expect.objectContaining({ tool_name: "work", arguments: { secret: 7 }, trace })]);
  respond(socket, socket.came[0]?.request_id, { success: false, error: "No stock." });
  await settled();
  const agent = { name: "ai-agent", door: "window" };
  expect(told).toEqual([[{ method: "tools/call", name: "work" }, agent], "tool-error"]);
});

test("a failure of the app's is the call's, with its code where it has one of ours", async () => {
  const { connect, call, settled } = startSession();
  const socket = connect();
  const failures: readonly (readonly [object, string, string])[] = [
    [{ success: false, error: "No stock." }, "handler-failed", "No stock."],
    [{ success: false, error: "Not a number.", code: "input-invalid" }, "input-invalid", "Not a number."],
    [{ success: false, error: "x", code: "__proto__" }, "handler-failed", "x"],
    [{ success: false, error: { a: 1 }, code: 7 }, "handler-failed", "without a word"],
    [{ success: false }, "handler-failed", "without a word"],
    [{ success: "yes", result: 1 }, "frame-malformed", "cannot be read"],
    [[], "frame-malformed", "cannot be read"],
  ];
  for (const [response, code, words] of failures) {
    const outcome = call();
    await settled();
    respond(socket, socket.came.at(-1)?.request_id, response);
    await settled();
    expect(outcome, JSON.stringify(response)).toEqual({ code, message: expect.stringContaining(words) });
  }
  expect(socket.closed).toEqual([]);
});

test("an answer to no call, or once more, changes nothing and is counted", async () => {
  const { connect, call, settled, counted } = startSession();
  const other = startSession();
  const [socket, stranger] = [connect(), other.connect()];
  const outcome = call();
  await settled();
  const id = socket.came[0]?.request_id;
  for (const guess of ["", "0", "__proto__", "00000000-0000-4000-8000-000000000000", `${id}x`])
    respond(socket, guess, { success: true, result: "forged" });
  respond(stranger, id, { success: true, result: "forged" });
  await settled();
  await other.settled();
  expect([outcome, counted.stray, other.counted.stray]).toEqual([{}, 5, 1]);
  respond(socket, id, { success: true, result: "first" });
  respond(socket, id, { success: true, result: "again" });
  respond(socket, id, { success: false, error: "again" });
  socket.link.send(JSON.stringify({ type: "tool_progress", request_id: id, progress: 1 }));
  await settled();
  expect([outcome, counted.stray]).toEqual([{ value: "first" }, 8]);
});

test("a call that times out is cancelled, and its error has the last progress", async () => {
  const { clock, connect, call, settled } = startSession();
  const socket = connect();
  const idle = clock.pending;
  const outcome = call();
  await settled();
  const request_id = socket.came[0]?.request_id;
  const progress = { type: "tool_progress", request_id, progress: 3, total: 10, message: "rows" };
  socket.link.send(JSON.stringify(progress));
  await clock.advance(29_999);
  expect(outcome).toEqual({});
  await clock.advance(1);
  expect(outcome).toEqual({ code: "deadline-exceeded", message: expect.stringContaining('come to "3 of 10: rows"') });
  expect(outcome.message).toContain("limit parentCallTime");
  expect(socket.came[1]).toEqual({ type: "tool_cancel", request_id });
  respond(socket, request_id, { success: true, result: "late" });
  await settled();
  expect(outcome.value).toBeUndefined();
  expect(clock.pending).toBe(idle);
});

test("a call that is stopped is withdrawn in the window", async () => {
  const { connect, call, settled, clock } = startSession();
  const socket = connect();
  const idle = clock.pending;
  const stop = new AbortController();
  const outcome = call({ signal: stop.signal });
  await settled();
  stop.abort();
  stop.abort();
  await settled();
  expect(outcome.code).toBe("cancelled");
  expect(socket.came.slice(1)).toEqual([{ type: "tool_cancel", request_id: socket.came[0]?.request_id }]);
  expect(call({ signal: stop.signal })).toEqual({});
  await settled();
  // All calls share one timer for their deadlines.
  expect([socket.came.length, clock.pending]).toEqual([2, idle + 1]);
});

test("a call that is stopped while its window is away is withdrawn as soon as it is back", async () => {
  const { connect, call, settled } = startSession();
  const first = connect();
  const stop = new AbortController();
  const sent = call({ signal: stop.signal });
  await settled();
  first.link.close();
  await settled();
  const unsent = call({ signal: stop.signal });
  stop.abort();
  const second = connect();
  await settled();
  expect([sent.code, unsent.code]).toEqual(["cancelled", "cancelled"]);
  expect(second.came).toEqual([{ type: "tool_cancel", request_id: first.came[0]?.request_id }]);
  const third = connect();
  await settled();
  expect(third.came).toEqual([]);
});

test("a second socket takes the place of the first, and is sent what waits under the same ids", async () => {
  const { clock, connect, call, settled, counted } = startSession();
  const first = connect();
  const outcome = call();
  await settled();
  await clock.advance(10_000);
  const second = connect();
  await settled();
  expect(first.closed).toEqual(["tab-replaced"]);
  expect(second.came).toEqual([{ ...first.came[0], left: 20_000, again: true }]);
  respond(first, first.came[0]?.request_id, { success: true, result: "from the first" });
  await settled();
  expect(outcome).toEqual({});
  respond(second, second.came[0]?.request_id, { success: true, result: "from the second" });
  await settled();
  expect([outcome, counted.stray]).toEqual([{ value: "from the second" }, 0]);
});

test("a window that comes back in time is sent what waits; one that does not leaves its calls with an honest end", async () => {
  const { clock, connect, call, settled } = startSession();
  const first = connect();
  const sent = call();
  await settled();
  first.link.close();
  await settled();
  const unsent = call({ callId: "c1" });
  await clock.advance(4_999);
  const second = connect();
  await settled();
  expect(
    second.came.map(({ tool_call_id, request_id }) => [tool_call_id, request_id === first.came[0]?.request_id]),
  ).toEqual([
    ["c0", true],
    ["c1", false],
  ]);
  second.link.close();
  await settled();
  const late = call({ callId: "c2" });
  await clock.advance(5000);
  expect([sent, unsent, late].map(({ code }) => code)).toEqual(["outcome-unknown", "outcome-unknown", "not-delivered"]);
  expect([sent.message, late.message]).toEqual([
    expect.stringContaining("whether it did anything is not known"),
    expect.stringContaining("did not run"),
  ]);
  const refused = call();
  await settled();
  expect(refused.code).toBe("not-delivered");
});

test("a session waits as long for its first socket", async () => {
  const { clock, session, connect, call, settled } = startSession();
  const early = call();
  await clock.advance(4_000);
  expect([session.isOpen, session.isExpected]).toEqual([false, true]);
  const socket = connect();
  await settled();
  expect([socket.came.length, session.isOpen, early]).toEqual([1, true, {}]);
  const { clock: other, session: alone, call: ask } = startSession();
  const waiting = ask();
  await other.advance(5_000);
  expect([waiting.code, alone.isExpected]).toEqual(["not-delivered", false]);
});

test("a call that could not be sent before its time was up did not run", async () => {
  const { clock, call } = startSession({ graceTime: 60_000, parentCallTime: 1000 });
  const outcome = call();
  await clock.advance(1000);
  expect(outcome.code).toBe("not-delivered");
});

test("a session without a socket is given up after windowTime, and one with a socket never", async () => {
  const { clock, connect, settled, counted } = startSession();
  await clock.advance(599_999);
  const socket = connect();
  await clock.advance(10_000_000);
  expect(counted.left).toBe(0);
  socket.link.close();
  await settled();
  await clock.advance(600_000);
  expect(counted.left).toBe(1);
});

const deep = `${'{"a":'.repeat(70)}1${"}".repeat(70)}`;

test("what is no message closes the socket; an answer that nests too deep costs its own call only", async () => {
  const { connect, call, settled, counted } = startSession();
  const socket = connect();
  const [one, two] = [call(), call()];
  await settled();
  const [first, second] = socket.came.map(({ request_id }) => request_id);
  const response = `{"success":true,"result":${deep}}`;
  socket.link.send(`{"type":"tool_response","request_id":"${first}","response":${response}}`);
  await settled();
  expect([one.code, two, socket.closed, counted.refused]).toEqual(["frame-malformed", {}, [], 1]);
  expect(one.message).toContain("limit jsonDepth of 64");
  respond(socket, second, { success: true, result: "well" });
  await settled();
  expect(two.value).toBe("well");
  for (const text of ["", "x", "[]", "7", "{}", '{"type":7}', '{"type":"tool_response"}', `{"x":${deep}}`]) {
    const next = connect();
    next.link.send(text);
    await settled();
    expect(next.closed, text).toEqual(["frame-malformed"]);
  }
});

test("what a page wrote as its result answers and costs no other call, and closes no socket", async () => {
  const { connect, call, settled } = startSession();
  const socket = connect();
  const victim = call();
  await settled();
  const [other] = socket.came.map(({ request_id }) => request_id);
  const forged = `"request_id":"${other}","response":{"success":true,"result":"forged"}`;
  const early = `{"type":"tool_response","request_id":"${other}","response":{"success":true,"result":`;
  for (const result of [`1},${forged},"x":{"y":1`, `1}},${forged}}`, "", `1}}${early}`, `1}}\n${early}1}}`, deep]) {
    const outcome = call();
    await settled();
    const id = socket.came.at(-1)?.request_id;
    const response = `{"success":true,"result":${result}}`;
    socket.link.send(`{"response":${response},"type":"tool_response","request_id":"${id}"}`);
    await settled();
    expect([outcome.code, outcome.value], result).not.toEqual([undefined, undefined]);
    expect([victim, socket.closed], result).toEqual([{}, []]);
  }
  respond(socket, other, { success: true, result: "well" });
  await settled();
  expect(victim).toEqual({ value: "well" });
});

test("an unreadable answer to an unknown call is counted, and has no other effect", async () => {
  const { connect, call, settled, counted } = startSession();
  const socket = connect();
  const stop = new AbortController();
  call({ signal: stop.signal });
  const other = call();
  await settled();
  const [first, second] = socket.came.map(({ request_id }) => request_id);
  stop.abort();
  socket.link.send(`{"type":"tool_response","request_id":"${first}","response":${deep}}`);
  respond(socket, first, "late");
  respond(socket, second, { success: true, result: "well" });
  await settled();
  expect([other.value, socket.closed, counted.stray, counted.refused]).toEqual(["well", [], 2, 0]);
});

test("a message of a type that is not known is counted and nothing more", async () => {
  const { connect, settled, counted } = startSession();
  const socket = connect();
  socket.link.send('{"type":"tool_dance","request_id":"x"}');
  await settled();
  expect([counted, socket.closed]).toEqual([{ refused: 0, unknown: 1, stray: 0, left: 0 }, []]);
});

test("what cannot be sent is refused by name, and nothing is sent", async () => {
  const { connect, call, settled, session } = startSession({ callsPerTab: 2, frameBytes: 1000 });
  const socket = connect();
  const [large, missing] = [call({ arguments: { text: "ä".repeat(500) } }), call({ name: "steal" })];
  await settled();
  expect([large.code, missing.code, socket.came]).toEqual(["frame-too-large", "tool-not-found", []]);
  call();
  call();
  const third = call();
  await settled();
  expect([third.code, socket.came.length]).toEqual(["calls-too-many", 2]);
  session.offer = { ...offer, tools: [] };
  const gone = call();
  await settled();
  expect(gone).toEqual({
    code: "tool-not-found",
    message: 'The app that offered "work" does not offer it any more.',
  });
});

test("a call is for the page that offered its tool, and for none that takes its place", async () => {
  const { connect, call, settled, session, clock } = startSession();
  const first = connect();
  const idle = clock.pending;
  const sent = call();
  await settled();
  first.link.close();
  await settled();
  const unsent = call();
  session.offer = { ...offer, tools: [...offer.tools] };
  await settled();
  expect([sent, unsent]).toEqual([{}, {}]);
  session.offer = { ...offer, origin: "https://other.example" };
  const late = call();
  const second = connect();
  await settled();
  expect([sent, unsent, late].map(({ code }) => code)).toEqual([undefined, "tool-not-found", "tool-not-found"]);
  // The origin tells the window that the call is not for the page that it shows now.
  expect(second.came).toEqual([{ ...first.came[0], again: true }]);
  expect(clock.pending).toBe(idle + 1);
});

test("a session that ends closes its socket and leaves no call waiting", async () => {
  const { clock, session, connect, call, settled } = startSession();
  const socket = connect();
  const outcome = call();
  await settled();
  session.close();
  session.close();
  await settled();
  expect([outcome.code, socket.closed, clock.pending]).toEqual(["outcome-unknown", ["going-away"], 0]);
});

test("a window that takes several messages in one is sent the calls of a turn so, and answers so", async () => {
  const { connect, call, settled, counted } = startSession();
  const socket = connect();
  socket.link.send(JSON.stringify({ type: "hello", batches: true }));
  await settled();
  const outcomes = [call(), call(), call()];
  await vi.waitFor(() => expect(socket.came).toHaveLength(3));
  expect(socket.messages).toHaveLength(1);
  const answer = (index: number, response: object) =>
    JSON.stringify({ type: "tool_response", request_id: socket.came[index]?.request_id, response });
  const [one, two] = [answer(0, { success: true, result: 1 }), answer(1, { success: false, error: "No stock." })];
  socket.link.send(`\u001e${two}\u001e${one}\u001e{"type":"news"}`);
  await settled();
  expect(outcomes).toEqual([{ value: 1 }, { code: "handler-failed", message: "No stock." }, {}]);
  expect([counted.unknown, socket.closed]).toEqual([1, []]);
  // Messages after one that closes the socket are ignored.
  socket.link.send(`\u001e{\u001e${answer(2, { success: true, result: "late" })}`);
  await settled();
  expect([socket.closed, outcomes[2]]).toEqual([["frame-malformed"], {}]);
});

test("without support for batches, or with a small message limit, each message has one call", async () => {
  const small = { frameBytes: 65_536 };
  for (const [limits, hello] of [
    [{}, { type: "hello" }],
    [{}, { type: "hello", batches: "yes" }],
    [small, { type: "hello", batches: true }],
  ] as const) {
    const { connect, call, settled } = startSession(limits);
    const socket = connect();
    socket.link.send(JSON.stringify(hello));
    await settled();
    const outcomes = [call(), call()];
    await settled();
    expect(socket.messages).toHaveLength(2);
    for (const [index, { request_id }] of socket.came.entries())
      respond(socket, request_id, { success: true, result: index });
    await settled();
    expect(outcomes).toEqual([{ value: 0 }, { value: 1 }]);
  }
});
