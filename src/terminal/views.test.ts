import { describe, expect, test, vi } from "vitest";
import { startDoor } from "./terminal.test-helper.ts";
import type { TestView } from "./test-view.test-helper.ts";

const lanes = [{ tmux: false }, { tmux: true }];

describe.each(lanes)("with tmux: $tmux", ({ tmux }) => {
  test("a view that reconnects gets the output that it missed, and nothing twice", async () => {
    const door = startDoor({ tmux });
    const view = await door.open();
    view.type("echo be''fore; sleep 0.3; echo af''ter\r");
    const shown = await view.prints("before");
    const { terminal, stream } = view.opened;
    view.link.close();
    await view.closed;
    const back = await door.open({ terminal, stream, from: shown.length });
    expect(back.opened).toMatchObject({ terminal, stream, at: shown.length, isNew: false });
    const whole = await door.open({ terminal });
    await Promise.all([back.prints("after"), whole.prints("after")]);
    // tmux may redraw a line, so the new output may contain text that was shown before.
    await vi.waitFor(() => expect(back.text).toBe(whole.text.slice(shown.length)));
  });

  test("a view of another page gets the kept output, and both show the same from then on", async () => {
    const door = startDoor({ tmux });
    const first = await door.open();
    first.type("echo fi''rst\r");
    await first.prints("first");
    const second = await door.open({ terminal: first.opened.terminal });
    expect(second.opened).toMatchObject({ stream: first.opened.stream, at: 0, isNew: false });
    await second.prints("first");
    second.type("echo sec''ond\r");
    await Promise.all([first.prints("second"), second.prints("second")]);
    expect(second.text.length).toBe(first.text.length);
  });

  test("the terminal has the size of the active view, and all views are notified", async () => {
    const door = startDoor({ tmux });
    const small = await door.open({ columns: 80, rows: 24 });
    const large = await door.open({ terminal: small.opened.terminal, columns: 120, rows: 40 });
    expect(large.opened).toMatchObject({ columns: 80, rows: 24 });
    large.send({ type: "here", focused: true });
    for (const view of [small, large]) expect(await view.next("size")).toMatchObject({ columns: 120, rows: 40 });
    small.send({ type: "resize", columns: 90, rows: 30 });
    large.send({ type: "resize", columns: 100, rows: 50 });
    expect(await small.next("size")).toMatchObject({ columns: 100, rows: 50 });
    await becomes(small, "50 100");
    small.send({ type: "here", focused: true });
    expect(await large.next("size")).toMatchObject({ columns: 100, rows: 50 });
    expect(await large.next("size")).toMatchObject({ columns: 90, rows: 30 });
    await becomes(small, "30 90");
  });
});

describe("the tab that programs act in", () => {
  test("is the tab of the view that had the focus last, and all views are notified", async () => {
    const { view, other, door } = await twoTabs();
    view.send({ type: "here", tab: "one", focused: true });
    await attached(view, "one");
    other.send({ type: "here", tab: "two", focused: true });
    await attached(view, "two");
    expect(door.attachments.get(view.opened.terminal)).toBe("two");
    other.send({ type: "here", tab: "two", focused: false });
    view.send({ type: "here", tab: "one", focused: true });
    await attached(other, "one");
  });

  test("is that of the only view, even without the focus", async () => {
    const door = startDoor({ tmux: false });
    door.tabs.add("ann one");
    const view = await door.open();
    view.send({ type: "here", tab: "one", focused: false });
    await attached(view, "one");
  });

  test("cannot be a tab of another principal, or one that is not open", async () => {
    const { view, door } = await twoTabs();
    door.tabs.add("bob his");
    for (const tab of ["his", "nowhere"]) {
      view.send({ type: "here", tab, focused: true });
      expect(await view.next("failed")).toMatchObject({ code: "tab-not-found" });
    }
    expect(door.attachments.get(view.opened.terminal)).toBeUndefined();
  });

  test("is that of the previous view, a grace period after the active view disconnected", async () => {
    const { view, other, door } = await twoTabs({ graceTime: 30 });
    other.send({ type: "here", tab: "two", focused: true });
    await attached(view, "two");
    view.send({ type: "here", tab: "one", focused: true });
    await attached(other, "one");
    view.link.close();
    await attached(other, "two");
    other.link.close();
    await other.closed;
    const back = await door.open({ terminal: other.opened.terminal });
    expect(await back.next("attached")).toMatchObject({ tab: "two" });
  });

  test("stays the one that a program attached, until a view has the focus anew or another tab", async () => {
    const { view, door } = await twoTabs();
    const { terminal } = view.opened;
    view.send({ type: "here", tab: "one", focused: true });
    await attached(view, "one");
    door.attachments.set(terminal, "by hand");
    view.send({ type: "here", tab: "one", focused: false });
    view.send({ type: "resize", columns: 70, rows: 20 });
    expect(await view.next("size")).toMatchObject({ columns: 70, rows: 20 });
    expect(door.attachments.get(terminal)).toBe("by hand");
    view.send({ type: "here", tab: "two", focused: false });
    await attached(view, "two");
    door.attachments.set(terminal, "by hand");
    view.send({ type: "here", tab: "two", focused: true });
    await expect.poll(() => door.attachments.get(terminal)).toBe("two");
  });

  test("stays the same if the tab reconnects within that time", async () => {
    const { view, other, door } = await twoTabs({ graceTime: 60_000 });
    other.send({ type: "here", tab: "two", focused: true });
    await attached(view, "two");
    view.send({ type: "here", tab: "one", focused: true });
    await attached(other, "one");
    view.link.close();
    await view.closed;
    const back = await door.open({ terminal: view.opened.terminal, columns: 70, rows: 20 });
    back.send({ type: "here", tab: "one", focused: false });
    expect(await other.next("size")).toMatchObject({ columns: 70, rows: 20 });
    expect(attachedTabs(other).slice(-1)).toEqual(["one"]);
    expect(door.attachments.get(view.opened.terminal)).toBe("one");
  });
});

test("a query of a program reaches one view once: not again after a reload, nor an inactive view", async () => {
  const door = startDoor({ tmux: false });
  const front = await door.open();
  const behind = await door.open({ terminal: front.opened.terminal });
  front.type(String.raw`printf '\033[6n\033]52;c;aGk=\007do%sne\n' ""` + "\r");
  await Promise.all([front.prints("done\r\n"), behind.prints("done\r\n")]);
  expect(front.text).toContain("\u001b[6n\u001b]52;c;aGk=\u0007done");
  expect(behind.text).toContain(`${"\0".repeat(4 + 12)}done`);
  const later = await door.open({ terminal: front.opened.terminal });
  await later.prints("done\r\n");
  expect(later.text).toBe(behind.text);
});

async function twoTabs(limits = {}) {
  const door = startDoor({ tmux: false, limits });
  for (const tab of ["one", "two"]) door.tabs.add(`ann ${tab}`);
  const view = await door.open();
  const other = await door.open({ terminal: view.opened.terminal });
  return { door, view, other };
}

const attachedTabs = ({ frames }: TestView) =>
  frames.flatMap((frame) => (frame.type === "attached" ? [frame.tab] : []));

/** tmux passes a new size on a moment later. */
async function becomes(view: TestView, size: string): Promise<void> {
  view.type(`until [ "$(stty size)" = "${size}" ]; do sleep 0.05; done; echo it is "${size.replace(" ", " by ")}"\r`);
  await view.prints(`it is ${size.replace(" ", " by ")}`);
}

async function attached(view: TestView, tab: string): Promise<void> {
  await expect.poll(() => attachedTabs(view).at(-1)).toBe(tab);
}
