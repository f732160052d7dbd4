import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../link/index.ts";
import { findPty } from "./find-pty.ts";
import { startPty } from "./start-pty.ts";

test("the last output of a program is not lost in a busy hub", async () => {
  const spawn = await findPty();
  let busy = true;
  onTestFinished(() => void (busy = false));
  const work = () => {
    for (const end = performance.now() + 120; performance.now() < end;);
    if (busy) setImmediate(work);
  };
  work();
  let printed = "";
  const script = "stty -opost; head -c 10000 /dev/zero | tr '\\0' x; printf end";
  await new Promise<void>((resolve) => {
    const pty = startPty({
      ...{ spawn, clock: systemClock, file: "/bin/sh", args: ["-c", script], environment: { PATH: "/usr/bin:/bin" } },
      ...{ directory: "/", columns: 80, rows: 24, onExit: () => resolve() },
      onOutput: (text) => void (printed += text),
    });
    // The program exits immediately, before any of its output is read.
    pty.pause();
  });
  expect([printed.length, printed.slice(-3)]).toEqual([10_003, "end"]);
});
