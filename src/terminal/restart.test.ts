import { describe, expect, test } from "vitest";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestState, isGone, startDoor } from "./terminal.test-helper.ts";

describe("with tmux", () => {
  test("a shell outlives the hub, and the next hub shows it unchanged", async () => {
    const state = createTestState();
    const before = startDoor({ state });
    const view = await before.open({ name: "work" });
    const { terminal, stream } = view.opened;
    view.type("kept=yes; echo sh''own\r");
    const { length } = await view.prints("shown");
    await before.door.close();
    const after = startDoor({ state });
    const list = after.connect();
    list.send({ type: "hello", version: 1, token: "ann" });
    expect(await list.next("welcome")).toMatchObject({ terminals: [{ id: terminal, name: "work" }], tmux: true });
    const again = await after.open({ terminal, stream, from: length });
    expect(again.opened).toMatchObject({ terminal, at: 0, isNew: false });
    expect(again.opened.stream).not.toBe(stream);
    await again.prints("shown");
    again.type('echo "kept: $kept, $PAGEWIRE_TERMINAL_TOKEN"\r');
    await again.prints(`kept: yes, secret-of-${terminal}`);
    again.type("exit 4\r");
    expect(await again.next("exited")).toEqual({ type: "exited", code: 4 });
  });

  test("shells that start later in it get the new hub's address", async () => {
    const state = createTestState();
    const before = startDoor({ state });
    const { terminal } = (await before.open()).opened;
    await before.door.close();
    const after = startDoor({ state, url: "http://127.0.0.1:7400" });
    const view = await after.open({ terminal });
    state.tmux("new-window", "-t", `=${terminal}:`);
    view.type('echo "at $PAGEWIRE_URL"\r');
    await view.prints("at http://127.0.0.1:7400");
  });

  test("the next hub ends a terminal whose shell ended while no hub ran", async () => {
    const state = createTestState();
    const before = startDoor({ state });
    const [gone, kept] = [await before.open(), await before.open()];
    await before.door.close();
    state.tmux("kill-session", "-t", `=${gone.opened.terminal}`);
    startDoor({ state });
    await expect.poll(() => [...state.terminals.keys()]).toEqual([kept.opened.terminal]);
  });

  test("a hub leaves the terminals of another running hub alone", async () => {
    const state = createTestState();
    const first = startDoor({ state });
    const { terminal } = (await first.open()).opened;
    await first.door.close();
    const record = { principal: "ann", inTmux: true, hub: process.ppid };
    writeFileSync(join(state.directory, "terminal", "shells", `${terminal}.json`), JSON.stringify(record));
    const second = startDoor({ state });
    const view = await second.open();
    view.send({ type: "open", terminal, columns: 80, rows: 24 });
    expect(await view.next("failed")).toMatchObject({ code: "terminal-not-found" });
    expect(state.tmux("list-sessions")).toContain(terminal);
    expect(state.terminals.has(terminal)).toBe(true);
  });

  test("a terminal that is detached within tmux is shown again at once", async () => {
    const door = startDoor({ tmux: true });
    const view = await door.open();
    const { stream, terminal } = view.opened;
    view.type("echo sh''own\r");
    await view.prints("shown");
    door.state.tmux("detach-client", "-s", `=${terminal}`);
    await view.next("opened");
    expect(view.opened).toMatchObject({ terminal, at: 0, isNew: false });
    expect(view.opened.stream).not.toBe(stream);
    await view.prints("shown");
    view.type("echo $((6*7))\r");
    await view.prints("42");
  });

  test("the user's own configuration applies, except for settings that terminals in a page need", async () => {
    const state = createTestState();
    const lines = ["set -g status on", "set -g mouse off", "set -g destroy-unattached on", "set -g @mine yes"];
    lines.push("set -s exit-unattached on");
    writeFileSync(join(state.home, ".tmux.conf"), `${lines.join("\n")}\nset -g default-command 'sleep 1000'\n`);
    const view = await startDoor({ state }).open();
    view.type("echo $((6*7))\r");
    await view.prints("42");
    const option = (name: string) => state.tmux("show-options", "-gv", name).trim();
    expect(["status", "mouse", "@mine"].map(option)).toEqual(["on", "off", "yes"]);
    expect(["destroy-unattached", "history-limit", "allow-passthrough"].map(option)).toEqual(["off", "50000", "on"]);
    expect(state.tmux("show-options", "-sv", "set-clipboard").trim()).toBe("on");
  });

  test("a terminal that ends never shows another one, regardless of the user's configuration", async () => {
    const state = createTestState();
    writeFileSync(join(state.home, ".tmux.conf"), "set -g detach-on-destroy off\n");
    const door = startDoor({ state });
    const [view, other] = [await door.open(), await door.open()];
    view.type("exit 3\r");
    expect(await view.next("exited")).toEqual({ type: "exited", code: 3 });
    other.type("echo $((6*7))\r");
    await other.prints("42");
  });

  test("the next hub ends a shell whose key was changed while no hub ran", async () => {
    const state = createTestState();
    const before = startDoor({ state });
    const [ended, kept] = [await before.open(), await before.open()];
    await before.door.close();
    state.terminals.delete(ended.opened.terminal);
    startDoor({ state });
    await expect.poll(() => state.tmux("list-sessions", "-F", "#{session_name}").trim()).toBe(kept.opened.terminal);
  });

  test("without a configuration of the user, the mouse works and there is no status line", async () => {
    const { state, open } = startDoor();
    await open();
    const option = (name: string) => state.tmux("show-options", "-gv", name).trim();
    expect(["status", "mouse"].map(option)).toEqual(["off", "on"]);
  });

  test("the tmux server ends with its last terminal", async () => {
    const { state, open } = startDoor();
    const view = await open();
    view.type("exit\r");
    await view.next("exited");
    await expect.poll(() => runs(() => state.tmux("list-sessions"))).toBe(false);
    await open();
  });
});

describe("without tmux", () => {
  test("shells and their terminals end with the hub, even if they ignore signals", async () => {
    const { state, door, open } = startDoor({ tmux: false });
    const views = [await open(), await open()];
    views[0]?.type(`sh -c 'trap "" HUP; echo process $$ stays; while :; do sleep 0.1; done'\r`);
    const [, pid] = /process (\d+) stays/.exec((await views[0]?.prints(/process \d+ stays/)) ?? "") ?? [];
    await door.close();
    await door.close();
    await expect.poll(() => isGone(Number(pid))).toBe(true);
    expect(state.terminals.size).toBe(0);
  });

  test("the next hub ends the terminals of a hub that was killed", async () => {
    const state = createTestState();
    const first = startDoor({ state, tmux: false });
    const { terminal } = (await first.open()).opened;
    const left = state.terminals.get(terminal);
    await first.door.close();
    if (left) state.terminals.set(terminal, left);
    const record = { principal: "ann", inTmux: false, hub: process.pid };
    writeFileSync(join(state.directory, "terminal", "shells", `${terminal}.json`), JSON.stringify(record));
    startDoor({ state, tmux: false });
    await expect.poll(() => state.terminals.size).toBe(0);
  });

  test("a hub does without a tmux that is too old or missing", async () => {
    for (const [says, hasTmux] of [
      ["tmux 3.1c", false],
      ["tmux next-3.7", true],
      ["tmux 3.2a", true],
    ] as const) {
      const state = createTestState();
      const path = join(state.directory, "fake-tmux");
      writeFileSync(path, `#!/bin/sh\nif [ "$1" = -V ]; then echo "${says}"; else exec tmux "$@"; fi\n`, {
        mode: 0o755,
      });
      const view = startDoor({ state, tmux: path }).connect();
      view.send({ type: "hello", version: 1, token: "ann" });
      expect(await view.next("welcome")).toMatchObject({ tmux: hasTmux });
    }
    const view = startDoor({ tmux: "/nowhere/tmux" }).connect();
    view.send({ type: "hello", version: 1, token: "ann" });
    expect(await view.next("welcome")).toMatchObject({ tmux: false });
  });
});

function runs(ask: () => unknown): boolean {
  try {
    ask();
    return true;
  } catch {
    return false;
  }
}
