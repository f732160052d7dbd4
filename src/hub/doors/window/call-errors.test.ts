import { expect, test } from "vitest";
import { offer, respond, startSession } from "./window-session.test-helper.ts";

test("each way in which a call can end without an answer has words of its own for the model", async () => {
  const look = "whether it did anything is not known.";
  const again = "Look before you call it again.";
  const closed = '"work" did not run: the window that leads to the app is not connected. The user can open it again.';
  const progress = { type: "tool_progress", progress: 3, total: 10, message: "rows" };

  const lateWorld = startSession({ parentCallTime: 1000, graceTime: 400, callsPerTab: 1, frameBytes: 300 });
  const first = lateWorld.connect();
  const tooLarge = lateWorld.call({ arguments: "x".repeat(300) });
  await lateWorld.settled();
  const late = lateWorld.call();
  const tooMany = lateWorld.call();
  await lateWorld.settled();
  first.link.send(JSON.stringify({ ...progress, request_id: first.came[0]?.request_id }));
  await lateWorld.clock.advance(1000);
  const malformed = lateWorld.call();
  await lateWorld.settled();
  respond(first, first.came.at(-1)?.request_id, []);
  await lateWorld.settled();
  const lost = lateWorld.call();
  await lateWorld.settled();
  first.link.close();
  await lateWorld.clock.advance(400);
  const unreached = lateWorld.call();
  await lateWorld.settled();
  const ends = [late, tooMany, tooLarge, malformed, lost, unreached];
  expect(ends.map(({ code, message }) => [code, message])).toEqual([
    [
      "deadline-exceeded",
      `"work" gave no answer within 1000 ms (limit parentCallTime): ${look} It had come to "3 of 10: rows". ${again}`,
    ],
    ["calls-too-many", "The app has 1 calls to answer already (limit callsPerTab). Wait for one."],
    ["frame-too-large", 'The arguments of "work" are larger than the limit frameBytes of 300 bytes.'],
    ["frame-malformed", 'The app\'s answer to "work" cannot be read, or nests deeper than the limit jsonDepth of 64.'],
    ["outcome-unknown", `The window that leads to the app was lost while "work" ran: ${look} ${again}`],
    ["not-delivered", closed],
  ]);

  const { connect, call, settled, session, refuse } = startSession();
  const stop = new AbortController();
  const waiting = call();
  const stopped = call({ signal: stop.signal });
  stop.abort();
  session.offer = { ...offer, tools: [] };
  const socket = connect();
  await settled();
  session.offer = offer;
  const removed = call();
  await settled();
  refuse();
  session.review();
  const neverSent = call();
  await settled();
  expect([waiting, stopped, removed, neverSent].map(({ code, message }) => [code, message])).toEqual([
    ["tool-not-found", 'The app that offered "work" does not offer it any more.'],
    ["cancelled", 'The call of "work" was stopped.'],
    ["origin-not-allowed", `Pages of ${offer.origin} may not use this hub any more: ${look} ${again}`],
    ["origin-not-allowed", `Pages of ${offer.origin} may not use this hub any more: "work" did not run.`],
  ]);
  expect(socket.closed).toEqual(["origin-not-allowed"]);
});
