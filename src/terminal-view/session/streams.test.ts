import { expect, test } from "vitest";
import { openSession, scriptSession } from "./scripted-hub.test-helper.ts";

test("a terminal is opened only after its view has a size", async () => {
  const script = scriptSession({ kept: "kept-token", target: { name: "build" } });
  await script.settle();
  script.hub.welcome();
  await script.settle();
  expect(script.hub.of("open")).toEqual([]);
  script.session.resize({ columns: 90, rows: 20 });
  await script.settle();
  expect(script.hub.of("open")).toEqual([{ type: "open", name: "build", columns: 90, rows: 20 }]);
  script.session.resize({ columns: 91, rows: 21 });
  script.hub.opened();
  await script.settle();
  // Changes during opening are sent now, each once.
  expect(script.hub.of("resize")).toEqual([{ type: "resize", columns: 91, rows: 21 }]);
  for (const columns of [91, 92, 92]) script.session.resize({ columns, rows: 21 });
  await script.settle();
  expect(script.hub.of("resize").slice(1)).toEqual([{ type: "resize", columns: 92, rows: 21 }]);
});

test("after a lost connection, the view keeps its output and continues the stream", async () => {
  const script = await openSession();
  script.hub.output(0, "hello ");
  await script.settle();
  script.hub.cut();
  await script.settle();
  expect(script.session.state.status).toBe("reconnecting");
  await script.reconnect();
  script.hub.welcome();
  await script.settle();
  expect(script.hub.of("open")).toMatchObject([{ terminal: "t1", stream: "s1", from: 6 }]);
  script.hub.opened({ at: 6, isNew: false });
  script.hub.output(6, "world");
  await script.settle();
  expect(script.shown.filter((each) => typeof each === "string")).toEqual(["(reset)", "hello ", "world"]);
  expect([script.notes, script.session.state.status]).toEqual([[], "connected"]);
});

test.each([
  ["another stream", { stream: "s2", at: 0 }],
  ["more was printed than is kept", { stream: "s1", at: 900 }],
])("where there is %s, the view clears and says so", async (_why, begins) => {
  const script = await openSession();
  script.hub.output(0, "old");
  await script.settle();
  script.hub.cut();
  await script.reconnect();
  script.hub.welcome();
  await script.settle();
  script.hub.opened({ isNew: false, ...begins });
  script.hub.output(begins.at, "new");
  await script.settle();
  expect(script.shown.filter((each) => typeof each === "string")).toEqual(["(reset)", "old", "(reset)", "new"]);
  expect(script.notes).toEqual(["Earlier output is not kept here any more."]);
});

test("a stream that the hub starts over clears the view", async () => {
  const script = await openSession();
  script.hub.output(0, "old");
  script.hub.opened({ at: 5000, isNew: false });
  script.hub.output(5000, "new");
  await script.settle();
  expect(script.shown.filter((each) => typeof each === "string")).toEqual(["(reset)", "old", "(reset)", "new"]);
});

test("the view acknowledges output that was shown, not output that is still pending", async () => {
  const script = await openSession();
  const piece = "x".repeat(40_000);
  for (const at of [0, 40_000, 80_000]) script.hub.output(at, piece);
  await script.settle();
  expect(script.hub.of("seen")).toEqual([]);
  script.outputs[0]?.shown();
  await script.settle();
  expect(script.hub.of("seen")).toEqual([]);
  script.outputs[1]?.shown();
  script.outputs[2]?.shown();
  await script.settle();
  expect(script.hub.of("seen")).toEqual([
    { type: "seen", at: 80_000 },
    { type: "seen", at: 120_000 },
  ]);
});

test("output of a previous stream does not acknowledge the next one", async () => {
  const script = await openSession();
  script.hub.output(0, "of the first");
  script.hub.opened({ stream: "s2" });
  await script.settle();
  script.outputs[0]?.shown();
  await script.settle();
  expect(script.hub.of("seen")).toEqual([]);
});

test("another terminal replaces the first one, from its own beginning", async () => {
  const script = await openSession();
  script.hub.output(0, "first");
  await script.settle();
  script.session.open({ terminal: "t2" });
  await script.settle();
  expect(script.hub.of("open").at(-1)).toEqual({ type: "open", terminal: "t2", columns: 100, rows: 30 });
  script.hub.output(5, "late of the first");
  script.hub.say({ type: "exited", code: 0 });
  script.hub.opened({ terminal: "t2", name: "other", stream: "s2", isNew: false });
  script.hub.output(0, "second");
  await script.settle();
  expect(script.shown.filter((each) => typeof each === "string")).toEqual(["(reset)", "first", "(reset)", "second"]);
  expect(script.session.state).toMatchObject({ status: "connected", terminal: "t2", name: "other" });
});

test("the list of terminals is updated, and terminals are renamed and ended at the hub", async () => {
  const script = await openSession();
  script.hub.say({ type: "terminals", terminals: [{ id: "t1", name: "renamed", createdAt: 1 }] });
  await script.settle();
  expect(script.session.terminals).toEqual([{ id: "t1", name: "renamed", createdAt: 1 }]);
  expect(script.session.state).toMatchObject({ name: "renamed" });
  script.session.send({ type: "rename", terminal: "t1", name: "again" });
  script.session.send({ type: "end", terminal: "t9" });
  await script.settle();
  expect(script.hub.of("rename")).toEqual([{ type: "rename", terminal: "t1", name: "again" }]);
  expect(script.hub.of("end")).toEqual([{ type: "end", terminal: "t9" }]);
  script.hub.cut();
  await script.settle();
  script.session.send({ type: "end", terminal: "t1" });
  expect(script.notes).toEqual(["There is no connection to the hub. Try again when it is back."]);
});

test("two requests for a new terminal open one", async () => {
  const script = await openSession();
  script.session.open({});
  script.session.open({});
  await script.settle();
  expect(script.hub.of("open")).toHaveLength(2);
  script.hub.opened({ terminal: "t2", stream: "s2" });
  await script.settle();
  script.session.open({});
  await script.settle();
  expect(script.hub.of("open")).toHaveLength(3);
});

test("a terminal that was requested before the sign-in is opened after it", async () => {
  const script = scriptSession();
  script.session.resize({ columns: 80, rows: 24 });
  await script.settle();
  script.session.open({ terminal: "t7" });
  expect(script.session.state.status).toBe("signed-out");
  script.session.useCode("code-12345678");
  await script.settle();
  script.hub.welcome({ token: "fresh" });
  await script.settle();
  expect(script.hub.of("open")).toEqual([{ type: "open", terminal: "t7", columns: 80, rows: 24 }]);
});
