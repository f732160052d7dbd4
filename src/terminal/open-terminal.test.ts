import { expect, test } from "vitest";
import { createFakeClock } from "../testing/index.ts";
import { defaultLimits } from "../wire/index.ts";
import type { FrameToView } from "../wire/index.ts";
import { OpenTerminal } from "./open-terminal.ts";
import type { PtyEvents, Shells } from "./shells.ts";
import { startDoor } from "./terminal.test-helper.ts";

/** A terminal with fake pseudo terminals, and one view of it. */
function play(given: Partial<Shells> = {}) {
  const clock = createFakeClock();
  const lives: PtyEvents[] = [];
  const frames: FrameToView[] = [];
  const lost: string[] = [];
  const pty = { pid: 1, device: undefined, waitingBytes: 0, write() {}, resize() {}, pause() {}, resume() {} };
  const shells: Shells = {
    inTmux: true,
    open: async () => {},
    reopen: async () => {},
    show(_id, _size, events) {
      lives.push(events);
      return pty;
    },
    repaint() {},
    lasting: async () => new Set(["t"]),
    programs: async () => new Map(),
    end: async () => {},
    close: async () => {},
    ...given,
  };
  const { host } = startDoor({ tmux: false });
  const terminal = new OpenTerminal({
    host: { ...host, limits: defaultLimits },
    shells,
    clock,
    principal: "ann",
    info: { id: "t", name: "Terminal 1", createdAt: 0 },
    size: { columns: 80, rows: 24 },
    onEnded: () => undefined,
    onLost: () => lost.push("lost"),
  });
  const view = {
    tab: undefined,
    size: { columns: 80, rows: 24 },
    send: (frame: FrameToView) => frames.push(frame),
    ended() {},
  };
  terminal.join(view, { isNew: true });
  return { terminal, clock, lives, frames, lost, types: () => frames.map(({ type }) => type) };
}

test("a terminal that is detached repeatedly within a moment fails, and its view gets the reason", async () => {
  const { clock, lives, frames, lost } = play();
  for (let life = 0; life < 3; life++) {
    lives[life]?.onExit({ code: 0 });
    await clock.advance(10);
  }
  expect(lives).toHaveLength(3);
  expect(frames.at(-1)).toMatchObject({ type: "failed", code: "terminal-unavailable" });
  expect(lost).toEqual(["lost"]);
});

test("a terminal that is detached now and then is shown again each time", async () => {
  const { clock, lives, frames } = play();
  for (let life = 0; life < 9; life++) {
    await clock.advance(1000);
    lives[life]?.onExit({ code: 0 });
    await clock.advance(10);
  }
  expect(lives).toHaveLength(10);
  expect(new Set(frames.flatMap((frame) => (frame.type === "opened" ? [frame.stream] : []))).size).toBe(10);
});

test("if tmux does not answer, the shell counts as alive", async () => {
  const { clock, lives, types } = play({ lasting: () => Promise.reject(new Error("tmux hangs")) });
  lives[0]?.onExit({ code: 0 });
  await clock.advance(10);
  expect(lives).toHaveLength(2);
  expect(types()).not.toContain("exited");
});

test("a process that cannot be killed does not keep the hub from closing", async () => {
  const { terminal, clock } = play();
  const closed = terminal.close();
  await clock.advance(2000);
  await closed;
});
