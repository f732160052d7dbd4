import { expect, test } from "vitest";
import { openSession } from "./scripted-hub.test-helper.ts";

test("what is typed while there is no connection is sent once to the same shell when it is back", async () => {
  const script = await openSession();
  script.hub.cut();
  await script.settle();
  script.session.input("ls");
  script.session.input("\r");
  expect(script.session.waiting).toBe(3);
  await script.reconnect();
  script.hub.welcome();
  await script.settle();
  expect([script.hub.typed, script.session.waiting]).toEqual(["", 3]);
  script.hub.opened({ at: 0, isNew: false });
  await script.settle();
  expect([script.hub.typed, script.session.waiting]).toEqual(["ls\r", 0]);
  script.hub.cut();
  await script.reconnect();
  script.hub.welcome();
  script.hub.opened({ at: 0, isNew: false });
  await script.settle();
  expect(script.hub.typed).toBe("");
});

test("it is sent to the same shell also where that is shown anew, and to no other", async () => {
  const script = await openSession();
  script.hub.cut();
  await script.settle();
  script.session.input("ls\r");
  await script.reconnect();
  script.hub.welcome();
  script.hub.opened({ stream: "s2", isNew: false });
  await script.settle();
  expect(script.hub.typed).toBe("ls\r");
  script.hub.cut();
  await script.settle();
  script.session.input("rm -r build\r");
  await script.reconnect();
  script.hub.welcome();
  script.hub.say({ type: "failed", code: "terminal-not-found", message: "It ended." });
  await script.settle();
  expect(script.notes).toContain("What you typed meanwhile (12 characters) was not sent: its shell is gone.");
  script.session.retry();
  script.hub.opened({ terminal: "t2", stream: "s3" });
  await script.settle();
  expect(script.hub.typed).toBe("");
});

test("no more is kept than 4,096 characters, and what is too much is refused with a word", async () => {
  const script = await openSession();
  script.hub.cut();
  await script.settle();
  script.session.input("x".repeat(4096));
  script.session.input("y");
  expect(script.notes).toEqual(["No more can be typed until the connection is back."]);
  await script.reconnect();
  script.hub.welcome();
  script.hub.opened({ at: 0, isNew: false });
  await script.settle();
  expect(script.hub.typed).toBe("x".repeat(4096));
});

test("the user may take back what waits", async () => {
  const script = await openSession();
  script.hub.cut();
  await script.settle();
  script.session.input("oops\r");
  script.session.discard();
  expect(script.session.waiting).toBe(0);
  await script.reconnect();
  script.hub.welcome();
  script.hub.opened({ at: 0, isNew: false });
  await script.settle();
  expect(script.hub.typed).toBe("");
});

test("of what was sent just before a cut the user hears that it may be lost; it is not sent again", async () => {
  const script = await openSession();
  script.session.input("make");
  script.hub.cut();
  await script.reconnect();
  script.hub.welcome();
  script.hub.opened({ at: 0, isNew: false });
  await script.settle();
  expect(script.notes).toEqual(["The last 4 characters may not have reached the shell."]);
  expect(script.hub.typed).toBe("");
  script.session.input("x");
  await script.settle();
  script.hub.output(0, "x");
  await script.settle();
  script.hub.cut();
  await script.settle();
  expect(script.notes).toHaveLength(1);
});

test("a long text goes out in pieces, and no character is cut in two", async () => {
  const script = await openSession();
  const text = `a${"😀".repeat(40_000)}`;
  script.session.input(text);
  await script.settle();
  const pieces = script.hub.of("input").map(({ payload = "" }) => payload);
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join("")).toBe(text);
  expect(pieces.filter((piece) => /[\uD800-\uDBFF]$/.test(piece))).toEqual([]);
});

test("the hub hears where the user is when a terminal opens, and again when that changes", async () => {
  const script = await openSession();
  expect(script.hub.of("here")).toEqual([{ type: "here", tab: "tab1", focused: false }]);
  script.place = { tab: "tab1", isConnected: true, focused: true };
  script.session.tellPlace();
  script.place = { tab: "tab1", isConnected: false, focused: true };
  script.session.tellPlace();
  await script.settle();
  expect(script.hub.of("here").slice(1)).toEqual([
    { type: "here", tab: "tab1", focused: true },
    { type: "here", focused: true },
  ]);
});

test("the state says whether programs act in this tab, in another one, or in none", async () => {
  const script = await openSession();
  const attachmentWith = async (tab?: string) => {
    script.hub.say({ type: "attached", ...(tab === undefined ? {} : { tab }) });
    await script.settle();
    return (script.session.state as { readonly attachment?: string }).attachment;
  };
  expect(await attachmentWith()).toBe("nowhere");
  expect(await attachmentWith("tab2")).toBe("elsewhere");
  expect(await attachmentWith("tab1")).toBe("here");
  script.place = { ...script.place, tab: undefined };
  expect(await attachmentWith("tab1")).toBe("unknown");
  script.place = { ...script.place, tab: "tab1" };
  script.session.tellPlace();
  expect(script.session.state).toMatchObject({ attachment: "here" });
});

test("who goes on to another terminal before the first was opened has typed for the other one", async () => {
  const script = await openSession();
  script.session.open({ terminal: "t2" });
  script.session.open({ terminal: "t3" });
  script.session.input("ls");
  await script.settle();
  script.hub.opened({ terminal: "t2", stream: "s2", isNew: false });
  await script.settle();
  expect([script.hub.typed, script.session.terminal]).toEqual(["", "t3"]);
  script.hub.opened({ terminal: "t3", stream: "s3", isNew: false });
  await script.settle();
  expect([script.hub.typed, script.session.terminal]).toEqual(["ls", "t3"]);
  script.session.open({});
  script.session.input("pwd");
  script.hub.opened({ terminal: "t3", stream: "s3", isNew: false });
  await script.settle();
  expect(script.hub.typed).toBe("ls");
});
