import { join } from "node:path";
import { createClosingList } from "../harness/closing-list.ts";
import type { ClosingList } from "../harness/closing-list.ts";
import { holdContest } from "../harness/hold-contest.ts";
import type { Contestant, Figures } from "../harness/hold-contest.ts";
import { tmuxVersion } from "../harness/machine.ts";
import { agentToken } from "../harness/prepare-callers.ts";
import { processTreeCpu } from "../harness/process-tree.ts";
import { startRole } from "../harness/role-process.ts";
import type { RoleProcess } from "../harness/role-process.ts";
import type { RoleName } from "../harness/role.ts";
import type { Bench, Row, RowFamily } from "../harness/row.ts";
import { sampleText } from "../terminals/sample-text.ts";
import { createTerminalHome } from "../terminals/terminal-home.ts";
import type { ViewName } from "../terminals/views.ts";

const row = "terminal";
const megabyte = 1e6;
const megabytes = 25;
/** How long keys are pressed in a turn, in milliseconds. */
const typingTime = 600;

const about = `A shell (bash, 80 × 24) in a pseudo terminal of @lydell/node-pty, shown over a WebSocket to a client that is a process
of its own, without a screen. First \`cat\` of a text of ${megabytes} MB, lines of a log some of which have colours or letters outside of
ASCII, until the prompt is there again; then keys, a letter and a backspace in turn, each when what the shell prints of the
one before is there. The server is its Node process; the whole chain adds what lives of the shell, the client, and where
there is tmux, that, but not \`cat\`, which has ended. In tmux the screen is painted, and not every line of the text sent;
by hand it is \`tmux new-session\` without a status line.

- **pagewire**: a hub with \`createTerminalDoor\`; the client speaks its frames, and says of all output that it was seen.
- **floor**: node-pty and ws; bytes go on as they come, and the pty waits while 1 MiB waits in the socket.
- **by hand, text**: node-pty and ws as the documentation of xterm.js has it: text, and the client says every 100,000
  characters that they were seen.`;

/** A terminal: how fast it prints, and how soon it answers a key. */
export const terminal: RowFamily = {
  row,
  title: "A terminal",
  about,
  async measure(bench) {
    if (tmuxVersion() === undefined)
      throw new Error("No tmux found: install it, half of these rows are measured in it.");
    const text = sampleText(bench.quick ? megabyte : megabytes * megabyte);
    return [...(await measureShells(false, text, bench)), ...(await measureShells(true, text, bench))];
  },
};

interface Way {
  readonly name: string;
  readonly server: RoleName;
  readonly view: ViewName;
}

const ways: readonly Way[] = [
  { name: "floor", server: "byte-terminals", view: "bytes" },
  { name: "pagewire", server: "terminal-hub", view: "pagewire" },
  { name: "by hand, text", server: "text-terminals", view: "text" },
];

async function measureShells(inTmux: boolean, text: string, bench: Bench): Promise<readonly Row[]> {
  const running = createClosingList();
  const size = inTmux ? "bash in tmux" : "bash";
  try {
    const contestants: Contestant[] = [];
    for (const way of ways) {
      const profile = bench.profile && join(bench.profile, `${row} ${size} ${way.name}`);
      contestants.push(await startWay(way, { inTmux, text, running, profile, quick: bench.quick }));
    }
    return await holdContest(contestants, bench.rounds, [{ row, size }]);
  } finally {
    await running.close();
  }
}

interface Setting {
  readonly inTmux: boolean;
  readonly text: string;
  readonly running: ClosingList;
  readonly profile: string | undefined;
  readonly quick: boolean;
}

async function startWay(way: Way, { inTmux, text, running, profile, quick }: Setting): Promise<Contestant> {
  const home = running.add(createTerminalHome(text));
  const shell = { home: home.folder, inTmux };
  const server = running.add(await startRole(way.server, { agentToken, shell }, profile));
  const { port } = server.started;
  // A terminal begins a line with a carriage return.
  const characters = text.length + text.split("\n").length - 1;
  const typist = running.add(await startRole("typist", { port, shell, typist: { view: way.view, characters } }));
  const tmux = await home.tmuxServer();
  const cpu = async () => {
    const trees = [server.pid, typist.pid, ...(tmux === undefined ? [] : [tmux])];
    const all = await Promise.all(trees.map(processTreeCpu));
    return { server: await server.cpu(), all: all.reduce((sum, each) => sum + each, 0) };
  };
  const printed = Buffer.byteLength(text) / megabyte;
  return {
    name: way.name,
    async measure() {
      return { ...(await print(typist, printed, cpu)), ...(await type(typist, quick ? 50 : typingTime)) };
    },
  };
}

type Cpu = () => Promise<{ readonly server: number; readonly all: number }>;

async function print(typist: RoleProcess, printed: number, cpu: Cpu): Promise<Figures> {
  const before = await cpu();
  const startedAt = performance.now();
  await typist.work();
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await cpu();
  return {
    "server CPU ms/MB": (after.server - before.server) / 1000 / printed,
    "whole chain CPU ms/MB": (after.all - before.all) / 1000 / printed,
    "MB/s": printed / seconds,
  };
}

async function type(typist: RoleProcess, milliseconds: number): Promise<Figures> {
  const { p50, p99 } = await typist.load({ milliseconds, inFlight: 1 });
  return { "key p50 µs": p50, "key p99 µs": p99 };
}
