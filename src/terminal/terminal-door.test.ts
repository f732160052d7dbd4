import { describe, expect, test } from "vitest";
import { createMemoryLinks } from "../link/index.ts";
import { closeNameOf, encodeText } from "../wire/index.ts";
import { isGone, startDoor } from "./terminal.test-helper.ts";

const lanes = [{ tmux: false }, { tmux: true }];

describe.each(lanes)("with tmux: $tmux", ({ tmux }) => {
  test("a new terminal has the user's shell, in the home directory, and an unused name", async () => {
    const door = startDoor({ tmux });
    const view = await door.open({ columns: 100, rows: 30 });
    expect(view.opened).toMatchObject({ name: "Terminal 1", at: 0, columns: 100, rows: 30, isNew: true });
    view.type('echo "$0 in $PWD, $(stty size), $TERM"\r');
    const terminal = tmux ? "tmux-256color" : "xterm-256color";
    await view.prints(`/bin/bash in ${door.state.home}, 30 100, ${terminal}`);
    expect((await door.open({ name: " my\u001b[31m name\n" })).opened.name).toBe("my[31m name");
    expect((await door.open()).opened.name).toBe("Terminal 2");
  });

  test("a shell that exits reports its code, and its terminal is removed with its token", async () => {
    const door = startDoor({ tmux });
    const [view, other] = [await door.open(), await door.open()];
    const { terminal } = view.opened;
    view.type("exit 3\r");
    expect(await view.next("exited")).toEqual({ type: "exited", code: 3 });
    await expect.poll(() => door.state.terminals.has(terminal)).toBe(false);
    view.type("what is typed now goes nowhere\r");
    view.send({ type: "open", terminal, columns: 80, rows: 24 });
    expect(await view.next("failed")).toMatchObject({ code: "terminal-not-found" });
    other.type("echo still $((40+2))\r");
    await other.prints("still 42");
  });

  test("ending a terminal leaves no process behind, even one that ignores signals", async () => {
    const door = startDoor({ tmux });
    const view = await door.open();
    view.type(`sh -c 'trap "" HUP TERM; echo process $$ stays; while :; do sleep 0.1; done'\r`);
    const [, process = ""] = /process (\d+) stays/.exec(await view.prints(/process \d+ stays/)) ?? [];
    view.send({ type: "end", terminal: view.opened.terminal });
    await view.next("exited");
    expect(door.state.terminals.size).toBe(0);
    await expect.poll(() => isGone(Number(process))).toBe(true);
  });

  test("all views of a principal, and no others, are notified of new, renamed and ended terminals", async () => {
    const door = startDoor({ tmux });
    const [view, second] = [await door.open(), await door.open({ name: "build" })];
    const bob = await door.open({}, "bob");
    await view.next("terminals");
    view.send({ type: "rename", terminal: second.opened.terminal, name: "  tests " });
    const names = () => namesIn(view.frames.findLast((frame) => frame.type === "terminals"));
    await expect.poll(names).toEqual(["Terminal 1", "tests"]);
    second.send({ type: "end", terminal: second.opened.terminal });
    await expect.poll(names).toEqual(["Terminal 1"]);
    for (const frame of [{ type: "end" } as const, { type: "rename", name: "mine" } as const]) {
      bob.send({ ...frame, terminal: view.opened.terminal });
      expect(await bob.next("failed")).toMatchObject({ code: "terminal-not-found" });
    }
    expect(namesIn(bob.frames.findLast((frame) => frame.type === "terminals"))).toEqual(["Terminal 1"]);
    expect([...door.state.terminals.values()].map(({ principal }) => principal)).toEqual(["ann", "bob"]);
  });

  test("a terminal of another principal cannot be shown", async () => {
    const door = startDoor({ tmux });
    const { terminal } = (await door.open()).opened;
    const bob = await door.open({}, "bob");
    bob.send({ type: "open", terminal, columns: 80, rows: 24 });
    expect(await bob.next("failed")).toMatchObject({ code: "terminal-not-found" });
  });

  test("another principal that requests a terminal at the same moment neither gets nor blocks it", async () => {
    const door = startDoor({ tmux });
    const view = await door.open();
    const { terminal } = view.opened;
    const [bob, back] = [await door.open({}, "bob"), await door.open()];
    const shown = bob.next("opened").then(() => "shown");
    const kept = back.next("failed").then(() => "kept from its user");
    for (const order of [
      [bob, back],
      [back, bob],
    ]) {
      for (const each of order) each.send({ type: "open", terminal, columns: 80, rows: 24 });
      const theirs = bob.next("failed").then(({ code }) => code);
      const own = back.next("opened").then((frame) => frame.terminal);
      expect(await Promise.race([theirs, shown])).toBe("terminal-not-found");
      expect(await Promise.race([own, kept])).toBe(terminal);
    }
  });

  test("a terminal that was ended by command, or whose key was changed, loses its shell", async () => {
    const door = startDoor({ tmux });
    const view = await door.open();
    const { terminal } = view.opened;
    await door.host.terminals.attach("ann", terminal, "tab");
    await door.host.terminals.end("ann", terminal);
    await door.host.terminals.attach("ann", terminal, undefined);
    await view.next("exited");
  });

  test("changing the key ends the shells that were opened with it at once, and no others", async () => {
    const door = startDoor({ tmux });
    const [view, other] = [await door.open(), await door.open({}, "bob")];
    view.type(`sh -c 'echo process $$ waits; while :; do sleep 0.1; done'\r`);
    const [, process = ""] = /process (\d+) waits/.exec(await view.prints(/process \d+ waits/)) ?? [];
    door.state.terminals.delete(view.opened.terminal);
    door.door.review();
    await view.next("exited");
    await expect.poll(() => isGone(Number(process))).toBe(true);
    other.type("echo still $((40+2))\r");
    await other.prints("still 42");
  });
});

test("a view is notified of a terminal that opens while it signs in, and all views share one listing", async () => {
  const door = startDoor({ tmux: false });
  const view = await door.open();
  const { list } = door.host.terminals;
  let isListing = (): void => {};
  let goOn = (): void => {};
  const listing = new Promise<void>((resolve) => (isListing = resolve));
  const going = new Promise<void>((resolve) => (goOn = resolve));
  door.host.terminals.list = async (principal) => {
    door.host.terminals.list = list;
    const old = await list(principal);
    isListing();
    await going;
    return old;
  };
  const late = door.connect();
  late.send({ type: "hello", version: 1, token: "ann" });
  await listing;
  view.send({ type: "open", name: "newer", columns: 80, rows: 24 });
  await expect.poll(() => namesIn(view.frames.findLast((frame) => frame.type === "terminals"))).toContain("newer");
  goOn();
  expect(namesIn(await late.next("welcome"))).toEqual(["Terminal 1", "newer"]);
  let lists = 0;
  door.host.terminals.list = (principal) => {
    lists++;
    return list(principal);
  };
  view.send({ type: "rename", terminal: view.opened.terminal, name: "other" });
  await expect.poll(() => namesIn(late.frames.findLast((frame) => frame.type === "terminals"))).toContain("other");
  // Once to look for it, and once for the views that see the list.
  expect(lists).toBe(2);
});

test("a shell that was ended by a signal reports the name of the signal", async () => {
  const view = await startDoor({ tmux: false }).open();
  view.type("kill -9 $$\r");
  expect(await view.next("exited")).toEqual({ type: "exited", signal: "SIGKILL" });
});

test("a principal with too many terminals gets an error, and the view stays connected", async () => {
  const door = startDoor({ tmux: false });
  const views = [await door.open(), await door.open(), await door.open()];
  const last = views[2];
  last?.send({ type: "open", columns: 80, rows: 24 });
  expect(await last?.next("failed")).toMatchObject({ code: "terminals-too-many", message: "There are 3 already." });
  last?.send({ type: "open", terminal: views[0]?.opened.terminal, columns: 80, rows: 24 });
  expect(await last?.next("opened")).toMatchObject({ terminal: last?.opened.terminal });
});

describe("authentication", () => {
  test("a code is exchanged for a token, which later connections use", async () => {
    const view = startDoor({ tmux: false }).connect();
    view.send({ type: "hello", version: 1, code: "code of ann" });
    expect(await view.next("welcome")).toEqual({
      type: "welcome",
      version: 1,
      token: "ann",
      expiresAt: 5,
      terminals: [],
      tmux: false,
      heartbeat: 15_000,
    });
  });

  test("a view with no valid credential is closed with the name of the error", async () => {
    const door = startDoor({ tmux: false });
    for (const [hello, name] of [
      [{ type: "hello", version: 1 }, "token-required"],
      [{ type: "hello", version: 1, token: "nobody" }, "token-invalid"],
      [{ type: "hello", version: 2, token: "ann" }, "version-unsupported"],
    ] as const) {
      const view = door.connect();
      view.send(hello);
      expect(closeNameOf((await view.closed).code)).toBe(name);
    }
  });

  test("malformed, early or oversized frames close the view with a named error, and affect no other view", async () => {
    const door = startDoor({ tmux: false });
    const neighbour = await door.open();
    for (const [message, name] of [
      ["", "frame-malformed"],
      ["[]", "frame-malformed"],
      ['{"type":"open","columns":80,"rows":24}', "hello-expected"],
      ['{"type":"input"}\nrm -rf /', "hello-expected"],
      ['{"type":"hello","version":1,"token":7}', "frame-malformed"],
      [`{"type":"hello","version":1,"token":"${"x".repeat(20_000)}"}`, "frame-too-large"],
    ] as const) {
      const view = door.connect();
      view.link.send(message);
      expect(closeNameOf((await view.closed).code)).toBe(name);
    }
    for (const header of [
      { type: "resize", columns: 0, rows: 24 },
      { type: "resize", columns: 80, rows: 1e9 },
      { type: "open", columns: 80, rows: 24, terminal: "../../etc passwd" },
      { type: "open", columns: 80, rows: 24, from: -1 },
      { type: "seen", at: 0.5 },
      { type: "hello", version: 1, token: "ann" },
    ]) {
      const view = await door.open({ terminal: neighbour.opened.terminal });
      view.link.send(JSON.stringify(header));
      const name = header.type === "hello" ? "hello-expected" : "frame-malformed";
      expect(closeNameOf((await view.closed).code)).toBe(name);
    }
    neighbour.type("echo $((6*7))\r");
    await neighbour.prints("42");
  });

  test("frames of later versions, or for unknown terminals or positions, have no effect", async () => {
    const view = startDoor({ tmux: false }).connect();
    view.send({ type: "hello", version: 1, token: "ann" });
    await view.next("welcome");
    view.link.send('{"type":"teleport"}');
    view.type("nobody reads this");
    view.send({ type: "resize", columns: 90, rows: 30 });
    view.send({ type: "seen", at: Number.MAX_SAFE_INTEGER });
    view.send({ type: "heartbeat" });
    for (const terminal of ["nothing", "..", "=x:;kill-server", "-t"]) {
      view.send({ type: "end", terminal });
      expect(await view.next("failed")).toMatchObject({ code: "terminal-not-found" });
      view.send({ type: "open", terminal, columns: 80, rows: 24 });
      expect(await view.next("failed")).toMatchObject({ code: "terminal-not-found" });
    }
    view.send({ type: "open", columns: 80, rows: 24 });
    await view.next("opened");
    view.send({ type: "seen", at: Number.MAX_SAFE_INTEGER });
    view.type("echo $((6*7))\r");
    await view.prints("42");
  });
});

test("without pseudo terminals, a view is closed with a remedy before its code is consumed", async () => {
  const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  const door = startDoor({ loadPty: () => Promise.reject(missing) });
  const view = door.connect();
  view.send({ type: "hello", version: 1, code: "code of ann" });
  const { code, reason } = await view.closed;
  expect(closeNameOf(code)).toBe("terminal-unavailable");
  expect(reason).toContain("npm install @lydell/node-pty");
});

test("a view that signs out and disconnects at once is signed out; one that has not signed in is refused", async () => {
  const door = startDoor({ tmux: false });
  const bob = door.connect();
  bob.send({ type: "sign-out" });
  expect(closeNameOf((await bob.closed).code)).toBe("hello-expected");
  const view = await door.open();
  view.send({ type: "open", columns: 80, rows: 24 });
  view.send({ type: "sign-out" });
  view.link.close();
  await expect.poll(() => door.signedOut).toEqual(["ann"]);
});

test("a view is registered as soon as it signs in, so that it ends with its credential", async () => {
  const { door, host } = startDoor({ tmux: false });
  const [ours, theirs] = createMemoryLinks();
  const seen: string[] = [];
  const { list } = host.terminals;
  host.terminals.list = async (principal) => {
    theirs.close();
    return list(principal);
  };
  const known = () => {
    seen.push("known");
    return () => void seen.push("left");
  };
  door.serve({ link: theirs, origin: "https://app.example", known });
  ours.start({ message: () => {}, closed: () => {} });
  ours.send(encodeText({ type: "hello", version: 1, token: "ann" }));
  await expect.poll(() => seen).toEqual(["known", "left"]);
});

test("a view gets heartbeats while there is no output", async () => {
  const view = await startDoor({ tmux: false, limits: { heartbeatTime: 20 } }).open();
  await view.next("heartbeat");
  await view.next("heartbeat");
});

test("a shell that cannot be started reports why, and leaves no terminal behind", async () => {
  const spawn = () => {
    throw new Error("forkpty(3) failed.");
  };
  const door = startDoor({ tmux: false, loadPty: async () => ({ spawn }) });
  const view = door.connect();
  view.send({ type: "hello", version: 1, token: "ann" });
  view.send({ type: "open", columns: 80, rows: 24 });
  expect(await view.next("failed")).toMatchObject({
    code: "terminal-unavailable",
    message: "A shell could not be started: forkpty(3) failed.",
  });
  expect(door.state.terminals.size).toBe(0);
});

test("the error for a missing shell names it", async () => {
  const view = startDoor({ shell: "/nowhere/bash" }).connect();
  view.send({ type: "hello", version: 1, token: "ann" });
  expect((await view.closed).reason).toBe('The shell "/nowhere/bash" is not a program that can be run.');
});

function namesIn(frame: object | undefined): readonly string[] {
  const { terminals } = (frame ?? { terminals: [] }) as { readonly terminals: readonly { readonly name: string }[] };
  return terminals.map(({ name }) => name);
}
