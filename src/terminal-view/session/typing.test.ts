import { expect, test } from "vitest";
import { openSession } from "./scripted-hub.test-helper.ts";

test("input typed while disconnected is sent once to the same shell after reconnecting", async () => {
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

test("it is also sent to the same shell on a new stream, and to no other shell", async () => {
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

test("at most 4,096 characters are queued, and more are refused with a note", async () => {
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

test("the user can discard queued input", async () => {
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

test("input sent just before the connection was lost is reported as possibly lost, and not sent again", async () => {
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

test("a long text is sent in pieces, and no character is split", async () => {
  const script = await openSession();
  const text = `a${"😀".repeat(40_000)}`;
  script.session.input(text);
  await script.settle();
  const pieces = script.hub.of("input").map(({ payload = "" }) => payload);
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join("")).toBe(text);
  expect(pieces.filter((piece) => /[\uD800-\uDBFF]$/.test(piece))).toEqual([]);
});

test("the view sends its tab and focus when a terminal opens, and when they change", async () => {
  const script = await openSession();
  expect(script.hub.of("here")).toEqual([{ type: "here", tab: "tab1", focused: false }]);
  script.place = { tab: "tab1", isConnected: true, focused: true };
  script.session.sendPlace();
  script.place = { tab: "tab1", isConnected: false, focused: true };
  script.session.sendPlace();
  await script.settle();
  expect(script.hub.of("here").slice(1)).toEqual([
    { type: "here", tab: "tab1", focused: true },
    { type: "here", focused: true },
  ]);
});

test("the state has whether programs act in this tab, in another one, or in none", async () => {
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
  script.session.sendPlace();
  expect(script.session.state).toMatchObject({ attachment: "here" });
});

test("input typed after switching to another terminal, before the first one opened, goes to the other one", async () => {
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
