// A hub that runs without terminals, and the command that switches them on, lists them and ends them.
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHub } from "../../hub/index.ts";
import type { ShellInfo } from "../../hub/index.ts";
import { PagewireError } from "../../wire/index.ts";
import { createTestIo } from "../test-support/test-io.test-helper.ts";
import type { TestIo } from "../test-support/test-io.test-helper.ts";

let cli: TestIo;
let stop: () => Promise<unknown>;

beforeEach(() => {
  cli = createTestIo();
  stop = async () => {};
});
afterEach(async () => {
  await stop();
  cli.close();
});

/** A hub that was started by the command, without --terminal. */
async function startPlainHub(...args: readonly string[]): Promise<string> {
  const one = createTestIo({ home: cli.home, environment: { PATH: process.env["PATH"] ?? "" } });
  const code = one.run("hub", "--port", "0", "--no-demo", "--no-code", ...args);
  stop = async () => {
    await one.interrupt();
    await code;
  };
  await Promise.race([one.wrote("Ctrl-C stops it."), code]);
  return cli.state.runningHub()?.url ?? "";
}

/** Runs a command of its own in the same state directory; with an answer it runs on a terminal, where that is typed. */
async function run(args: readonly string[], answer?: string) {
  const one = createTestIo({ home: cli.home, isTerminal: answer !== undefined, environment: { NO_COLOR: "1" } });
  const ended = one.run(...args);
  if (answer !== undefined) {
    await Promise.race([one.wrote("[y/N]"), ended]);
    one.type(answer);
  }
  return { code: await ended, out: one.out(), err: one.err(), opened: one.opened };
}

test("on a terminal the person is asked, and with yes the terminal opens", async () => {
  const url = await startPlainHub();
  const { code, err, opened } = await run(["terminal"], "y\r");
  expect(err).toContain(`The hub at ${url} runs without terminals. Each is a shell of yours`);
  expect(err).toContain(`Terminals are on at ${url} now, until that hub stops.`);
  expect([code, opened]).toEqual([0, [expect.stringContaining(`${url}/terminal#code=`)]]);
  const again = await run(["terminal", "--print"]);
  expect([again.code, again.out]).toEqual([0, expect.stringContaining(`${url}/terminal#code=`)]);
});

test.each(["\r", "n\r", "yellow\r", "\u0003", "\u0004"])("the answer %j switches nothing on", async (answer) => {
  await startPlainHub();
  const { code, err, opened } = await run(["terminal"], answer);
  expect([code, opened, err.includes("Terminals stay off.")]).toEqual([1, [], true]);
  expect((await run(["terminal", "list"])).out).toBe("Terminals are off. Open one with: npx pagewire terminal\n");
});

test("without a terminal nobody is asked, and the message names --yes, which switches them on", async () => {
  const url = await startPlainHub();
  for (const args of [
    ["terminal", "--print"],
    ["terminal", "--json"],
  ]) {
    const { code, out, err } = await run(args);
    expect([code, out, err]).toEqual([1, "", expect.stringContaining("npx pagewire terminal --yes")]);
  }
  const { code, out } = await run(["terminal", "--json", "--yes"]);
  expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ code: expect.any(String) })]);
  const listed = await run(["terminal", "list", "--json"]);
  expect(JSON.parse(listed.out)).toEqual({ isOn: true, terminals: [] });
  expect((await run(["terminal", "list"])).out).toContain("There is no terminal.");
  expect((await run(["terminal", "end", "--all"])).out).toBe("There is no terminal to end.\n");
  expect(url).toContain("127.0.0.1");
});

test("the next run of the hub has no terminals again", async () => {
  await startPlainHub();
  expect((await run(["terminal", "--print", "--yes"])).code).toBe(0);
  await stop();
  await startPlainHub();
  expect((await run(["terminal", "--print"])).err).toContain("runs without terminals");
});

test("a hub with a public name has to be started with them", async () => {
  await startPlainHub("--public-host", "hub.example.com");
  const { code, err } = await run(["terminal", "--print", "--yes"]);
  expect([code, err]).toEqual([1, expect.stringMatching(/runs without terminals\. End it/)]);
});

const shells: readonly ShellInfo[] = [
  {
    id: "a1",
    name: "bash",
    createdAt: Date.parse("2026-01-01T03:04:00"),
    program: "vim",
    columns: 80,
    rows: 24,
    views: 1,
  },
  { id: "b2", name: "build\u001b[31m", createdAt: Date.parse("2026-01-02T03:00:00"), views: 0 },
];

/** A hub with terminals that are played. */
async function startPlayedHub(): Promise<void> {
  let left = [...shells];
  const mount = () => ({
    serve: () => {},
    list: async () => left,
    async end(_: string, id: string) {
      if (!left.some((each) => each.id === id)) throw new PagewireError("terminal-not-found", "There is none.");
      left = left.filter((each) => each.id !== id);
    },
    review: () => {},
    close: async () => {},
  });
  const { agentToken, shellKey } = cli.state;
  const hub = await createHub({ port: 0, agentToken, shell: { mount, key: shellKey } });
  cli.state.announceHub({ url: hub.url, port: hub.port, pid: process.pid, version: "0.0.0-test" });
  stop = () => hub.close();
}

test("terminals are listed with their programs, sizes and times, and nothing that a terminal could obey", async () => {
  await startPlayedHub();
  const { code, out } = await run(["terminal", "list"]);
  expect([code, out.split("\n").map((line) => line.split(/ {2,}/))]).toEqual([
    0,
    [
      ["ID", "NAME", "PROGRAM", "SIZE", "SINCE", "SHOWN IN"],
      ["a1", "bash", "vim", "80x24", "2026-01-01 03:04", "a page without tools"],
      ["b2", expect.stringMatching(/^build\P{Cc}*$/u), "-", "-", "03:00", "nowhere"],
      [""],
    ],
  ]);
});

test("terminals are ended by id or all, unknown ids end none, and each end is reported", async () => {
  await startPlayedHub();
  const unknown = await run(["terminal", "end", "a1", "c3"]);
  expect([unknown.code, unknown.out, unknown.err]).toEqual([
    5,
    "",
    expect.stringMatching(/no terminal "c3", and none was ended.*npx pagewire terminal list/),
  ]);
  expect(await run(["terminal", "end", "a1"])).toMatchObject({ code: 0, out: "Ended bash (a1).\n" });
  const { code, out } = await run(["terminal", "end", "--all", "--json"]);
  expect([code, JSON.parse(out)]).toEqual([0, { ended: [expect.objectContaining({ id: "b2" })] }]);
});

test.each([
  [["list", "a1"]],
  [["list", "--all"]],
  [["list", "--print"]],
  [["end"]],
  [["end", "a1", "--all"]],
  [["end", "--all", "--port", "1"]],
  [["stop"]],
  [["--all"]],
])("`terminal` with %j is refused", async (args) => {
  const { code, err } = await run(["terminal", ...args]);
  expect([code, err]).toEqual([2, expect.stringContaining("end --all")]);
});

test("without a hub, nothing is listed and nothing is started", async () => {
  const { code } = await run(["terminal", "list"]);
  expect([code, cli.state.runningHub()]).toEqual([3, undefined]);
});
