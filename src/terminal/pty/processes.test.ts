import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { endProcesses } from "./processes.ts";

test("all processes on the device get SIGHUP, and remaining ones SIGKILL; others get no signal", async () => {
  const clock = createFakeClock();
  const sent: string[] = [];
  const lists = [
    " 10 10 Ss pts/1\n 11 11 S+ pts/1\n 12 12 S pts/2\n 13 13 Z pts/1\n 14 14 S pts/11",
    " 11 11 S ?\n 12 12 S pts/2\n",
    " 10 99 S pts/1\n 11 11 S ?\n 12 12 S pts/2\n",
  ];
  let asked = 0;
  const list = async () => lists[Math.min(asked++, lists.length - 1)];
  const signal = (pid: number, name: string) => void sent.push(`${name} ${pid}`);
  const ended = endProcesses([], ["/dev/pts/1"], { clock, list, signal });
  await clock.advance(3000);
  await ended;
  expect(sent).toEqual(["SIGHUP 10", "SIGHUP 11", "SIGKILL 11"]);
});

test("without a list of processes, the program itself is ended", async () => {
  const clock = createFakeClock();
  const sent: string[] = [];
  const signal = (pid: number, name: string) => void sent.push(`${name} ${pid}`);
  const ended = endProcesses([process.pid], ["/dev/pts/1"], { clock, list: async () => undefined, signal });
  await clock.advance(3000);
  await ended;
  expect(sent).toEqual([`SIGHUP ${process.pid}`, `SIGKILL ${process.pid}`]);
});
