import { PagewireError } from "pagewire/wire";
import { expect, test } from "vitest";
import { attached } from "./fake-hub.test-helper.ts";

test("calls that came in one message are answered in one, and others each in one of its own", async () => {
  const { socket, calls, settle } = await attached();
  for (const id of ["r1", "r2"]) socket.call(id);
  await settle();
  for (const call of calls) call.resolve(1);
  await settle();
  expect([socket.messages, socket.heard.length]).toEqual([2, 2]);
  socket.callTogether("r3", "r4", "r5", "r6");
  await settle();
  calls[2]?.resolve("three");
  calls[3]?.reject(new PagewireError("handler-failed", "No stock.\u001e"));
  calls[4]?.resolveText(`1}\u001e{"type":"tool_response","request_id":"r6","response":{"success":true,"result":666}}`);
  await settle();
  expect(socket.texts.slice(2).map((text) => text.slice(-4, -2))).toEqual(["r3", "r4", "r5"]);
  expect(socket.messages).toBe(4);
  expect(socket.heard.some(({ request_id }) => request_id === "r6")).toBe(false);
  calls[5]?.resolve("six");
  await settle();
  expect(socket.heard.at(-1)).toMatchObject({ request_id: "r6", response: { result: "six" } });
});

test("while other calls run an answer waits for those that have come, and one that a cut leaves is sent when asked", async () => {
  const { socket, sockets, calls, clock, settle } = await attached();
  socket.callTogether("r1", "r2", "r3");
  await settle();
  calls[0]?.resolve("one");
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  expect(socket.heard).toEqual([]);
  calls[1]?.resolve("two");
  await settle();
  expect([socket.messages, socket.heard.length]).toEqual([1, 2]);
  socket.callTogether("r4", "r5");
  await settle();
  calls[3]?.resolve("four");
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  socket.close("going-away");
  await clock.advance(500);
  const next = sockets[1];
  expect(next?.heard).toEqual([]);
  next?.call("r4");
  await settle();
  expect([next?.heard, next?.messages]).toMatchObject([[{ request_id: "r4", response: { result: "four" } }], 1]);
});
