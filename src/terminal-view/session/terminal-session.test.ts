import { expect, test } from "vitest";
import { openSession, scriptSession } from "./scripted-hub.test-helper.ts";

test("a shell that ended shows how it ended, and no other one is opened until the user asks for it", async () => {
  const script = await openSession();
  script.hub.say({ type: "exited", code: 3 });
  await script.settle();
  const ended = { status: "ended", message: "The shell has ended with exit code 3.", exitCode: 3 };
  expect(script.session.state).toEqual(ended);
  script.hub.cut();
  await script.reconnect();
  script.hub.welcome();
  await script.settle();
  expect([script.session.state, script.hub.of("open")]).toEqual([ended, []]);
  script.session.retry();
  await script.settle();
  expect(script.hub.of("open")).toEqual([{ type: "open", columns: 100, rows: 30 }]);
});

test("a new terminal that was requested while disconnected is opened after reconnecting", async () => {
  const script = await openSession();
  script.hub.say({ type: "exited", code: 0 });
  await script.settle();
  script.hub.cut();
  await script.settle();
  script.session.retry();
  expect(script.session.state.status).toBe("connecting");
  await script.settle();
  script.hub.welcome();
  await script.settle();
  expect(script.hub.of("open")).toEqual([{ type: "open", columns: 100, rows: 30 }]);
});

test("a shell that was killed shows the signal", async () => {
  const script = await openSession();
  script.hub.say({ type: "exited", signal: "SIGKILL" });
  await script.settle();
  expect(script.session.state).toMatchObject({ message: "The shell was ended by SIGKILL.", signal: "SIGKILL" });
});

test.each([["failed"], ["close"]])("a terminal that is not there any more (%s) counts as ended", async (how) => {
  const script = scriptSession({ kept: "kept-token", target: { terminal: "gone" } });
  script.session.resize({ columns: 80, rows: 24 });
  await script.settle();
  script.hub.welcome();
  await script.settle();
  if (how === "close") script.hub.refuse("terminal-not-found");
  else script.hub.say({ type: "failed", code: "terminal-not-found", message: "No such terminal." });
  await script.settle();
  expect(script.session.state).toEqual({ status: "ended", message: "This terminal is not there any more." });
});

test("a page whose origin is not allowed shows the command, and connects after it was run", async () => {
  const script = scriptSession({ kept: "kept-token" });
  await script.settle();
  script.hub.refuse("origin-not-allowed");
  await script.settle();
  expect(script.session.state).toMatchObject({
    status: "refused",
    code: "origin-not-allowed",
    command: "npx pagewire allow http://app.test",
  });
  await script.reconnect();
  script.hub.welcome();
  script.session.resize({ columns: 80, rows: 24 });
  script.hub.opened();
  await script.settle();
  expect(script.session.state.status).toBe("connected");
});

test("a hub without terminals shows a remedy, with the command separately", async () => {
  const script = scriptSession({ kept: "kept-token" });
  await script.settle();
  script.hub.refuse("terminal-unavailable", "Terminals are off here. Start the hub with: npx pagewire hub --terminal");
  await script.settle();
  expect(script.session.state).toEqual({
    status: "unavailable",
    code: "terminal-unavailable",
    message: "Terminals are off here. Start the hub with:",
    command: "npx pagewire hub --terminal",
  });
});

test("a terminal that could not be opened is requested again on retry", async () => {
  const script = scriptSession({ kept: "kept-token" });
  script.session.resize({ columns: 80, rows: 24 });
  await script.settle();
  script.hub.welcome();
  await script.settle();
  script.hub.say({ type: "failed", code: "terminals-too-many", message: "You have 32 terminals. End one." });
  await script.settle();
  expect(script.session.state).toMatchObject({ status: "refused", code: "terminals-too-many" });
  // An impatient user gets an attempt anyway.
  script.session.retry();
  script.session.retry();
  await script.settle();
  expect(script.hub.of("open")).toHaveLength(2);
  script.hub.opened();
  await script.settle();
  expect(script.session.state.status).toBe("connected");
});

test("without a hub, the view shows that and tries again", async () => {
  const script = await openSession();
  script.isDown = true;
  script.hub.cut();
  await script.settle();
  expect(script.session.state.message).toBe("The connection to the hub was lost. Trying again in 1 s.");
  await script.clock.advance(300);
  expect(script.session.state).toMatchObject({ status: "reconnecting" });
  expect(script.session.state.message).toContain("No hub answers at http://hub.test.");
  script.isDown = false;
  script.session.retry();
  await script.settle();
  expect(script.ends).toHaveLength(2);
});

test("the view answers heartbeats, and disconnects from a silent hub", async () => {
  const script = await openSession();
  script.hub.say({ type: "heartbeat" });
  await script.settle();
  expect(script.hub.of("heartbeat")).toHaveLength(1);
  await script.clock.advance(37_000);
  expect(script.ends[0]?.isClosed).toBe(false);
  await script.clock.advance(501);
  expect(script.ends[0]?.isClosed).toBe(true);
});

test("an invalid frame ends the connection, and an unknown type does not", async () => {
  const script = await openSession();
  script.hub.say({ type: "from-the-future" } as never);
  await script.settle();
  expect(script.session.state.status).toBe("connected");
  script.hub.say({ type: "size", columns: 0, rows: 24 });
  await script.settle();
  expect(script.ends[0]?.isClosed).toBe(true);
  expect(script.session.state.message).toContain('The field "columns" of a size frame is wrong.');
});

test("a closed session does nothing", async () => {
  const script = await openSession();
  const before = script.states.length;
  script.session.input("exit");
  script.session.close();
  script.session.close();
  await script.reconnect();
  expect([script.ends.length, script.notes]).toEqual([1, []]);
  expect(script.states.slice(before).map(({ status }) => status)).toEqual(["closed"]);
  expect(script.clock.pending).toBe(0);
});
