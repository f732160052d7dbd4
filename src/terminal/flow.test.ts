import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startDoor } from "./terminal.test-helper.ts";
import type { TestView } from "./test-view.test-helper.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

test("characters arrive whole however their bytes are split, and invalid UTF-8 is replaced", async () => {
  const view = await startDoor({ tmux: false }).open();
  const halves = String.raw`printf 'a\342\202'; sleep 0.1; printf '\254b\xf0\x9f'; sleep 0.1; printf '\x98\x80c\xff\xfed\n'`;
  view.type(`${halves}; printf 'last \\342\\202'; kill -9 $$\r`);
  await view.next("exited");
  expect(view.text).toContain("a€b😀c\ufffd\ufffdd\r\n");
  expect(view.text.slice(-6)).toBe("last \ufffd");
});

describe("a view that reads slowly", () => {
  test("it receives 20 MB without losing a character, and the hub buffers only a part", async () => {
    const door = startDoor({ tmux: false, limits: { terminalBytes: MIB, terminalUnseenBytes: 256 * KIB } });
    const view = await door.open();
    const file = join(door.state.directory, "large");
    writeFileSync(
      file,
      Array.from({ length: 250_000 }, (_, n) => `${n} `.padEnd(78, "語é"))
        .join("\n")
        .slice(0, 14 * MIB),
    );
    view.type(`stty -opost; echo st''art; cat ${file}; echo e''nd; stty opost\r`);
    const { max } = await readSlowly(view, "end\n");
    const shown = view.text.slice(view.text.indexOf("start\n") + 6, view.text.lastIndexOf("end\n"));
    expect(readFileSync(file).length).toBeGreaterThan(20 * MIB);
    expect(digest(shown)).toBe(digest(readFileSync(file, "utf8")));
    expect(max).toBeLessThan(256 * KIB + 128 * KIB);
  });

  test("it receives the last output of a program that ended while the view was behind", async () => {
    const door = startDoor({ tmux: false, limits: { terminalUnseenBytes: 16 * KIB, terminalPatience: 100 } });
    for (const size of [16, 20, 24, 40, 90]) {
      const view = await door.open();
      view.seesUpTo = 0;
      view.type(
        `exec sh -c 'stty -opost; echo st""art; head -c ${size * KIB} /dev/zero | tr "\\0" x; printf end; exit 5'\r`,
      );
      expect(await view.next("exited")).toMatchObject({ code: 5 });
      const printed = view.text.slice(view.text.indexOf("start\n") + 6);
      expect([printed.length, printed.slice(-3)]).toEqual([size * KIB + 3, "end"]);
    }
  });

  test("it stops applying backpressure after a timeout, and catches up when it reads again", async () => {
    const limits = { terminalUnseenBytes: 64 * KIB, terminalPatience: 50, terminalBytes: MIB };
    const door = startDoor({ tmux: false, limits });
    const view = await door.open();
    const other = await door.open({ terminal: view.opened.terminal });
    view.seesUpTo = 0;
    other.type(`stty -opost; head -c ${512 * KIB} /dev/zero | tr "\\0" x; echo e''nd\r`);
    await other.prints("end\n");
    expect(view.text.length).toBeLessThan(200 * KIB);
    view.seesUpTo = Infinity;
    view.send({ type: "seen", at: view.text.length });
    await view.prints("end\n");
    expect(view.text).toBe(other.text);
  });

  test("it starts over, with a new `opened`, if it missed more output than is kept", async () => {
    const limits = { terminalUnseenBytes: 64 * KIB, terminalPatience: 50, terminalBytes: 128 * KIB };
    const door = startDoor({ tmux: false, limits });
    const view = await door.open();
    const other = await door.open({ terminal: view.opened.terminal });
    view.seesUpTo = 0;
    other.type(`printf '\\033[?1049h\\033[?2004h\\033[?1000;1006h\\033[?1000l'\r`);
    other.type(`stty -opost; head -c ${512 * KIB} /dev/zero | tr "\\0" x; echo e''nd\r`);
    await other.prints("end\n");
    const { length } = view.text;
    view.seesUpTo = Infinity;
    view.send({ type: "seen", at: length });
    await view.prints("end\n");
    expect(view.opened.at).toBeGreaterThan(length);
    expect(view.text.length).toBeLessThan(200 * KIB);
    const modes = "\u001b[?1049h\u001b[?2004h\u001b[?1006h";
    expect(view.text.startsWith(modes)).toBe(true);
    const late = await door.open({ terminal: view.opened.terminal, stream: view.opened.stream, from: length });
    expect(late.opened.at).toBeGreaterThan(length);
    await late.prints("end\n");
    expect(late.text.startsWith(modes)).toBe(true);
  });
});

describe.each([{ tmux: false }, { tmux: true }])("what is typed, with tmux: $tmux", ({ tmux }) => {
  test("a paste of 1 MB arrives whole", async () => {
    const door = startDoor({ tmux });
    const view = await door.open();
    const text = Array.from({ length: 16_000 }, (_, n) => `${n} `.padEnd(65, "é")).join("\n");
    const size = Buffer.byteLength(text);
    expect(size).toBeGreaterThan(MIB);
    view.type(`stty raw -echo; echo rea''dy; head -c ${size} | sha256sum; stty sane\r`);
    await view.prints("ready");
    view.type(text);
    await view.prints(digest(text));
  });
});

test("while a program reads nothing, the hub keeps working, and accepts at most queuedBytes of input", async () => {
  const door = startDoor({ tmux: false, limits: { queuedBytes: MIB } });
  const view = await door.open();
  const reads = join(door.state.directory, "reads-now");
  view.type(
    `stty raw -echo; echo rea''dy; until [ -e ${reads} ]; do sleep 0.05; done; head -c 900000 | wc -c; stty sane\r`,
  );
  await view.prints("ready");
  view.type("x".repeat(900_000));
  await new Promise((resolve) => setImmediate(resolve));
  view.type("y".repeat(500_000));
  expect(await view.next("failed")).toMatchObject({ code: "too-slow" });
  writeFileSync(reads, "");
  const other = await door.open();
  other.type("echo $((6*7))\r");
  await other.prints("42");
  await view.prints("900000");
});

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Acks a little at a time; returns the max output that arrived without an ack. */
async function readSlowly(view: TestView, end: string): Promise<{ readonly max: number }> {
  view.seesUpTo = 0;
  let seen = 0;
  let max = 0;
  while (!view.tail.includes(end)) {
    max = Math.max(max, view.length - seen);
    seen += Math.min(view.length - seen, 32 * KIB);
    view.send({ type: "seen", at: seen });
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { max };
}
