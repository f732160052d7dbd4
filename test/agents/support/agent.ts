// One program, installed for the user of a machine, with a project folder and a model of its own.
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawnOwned } from "../../e2e/support/processes.ts";
import type { OwnedProcess } from "../../e2e/support/processes.ts";
import { within } from "../../e2e/support/wait.ts";
import { startScriptedModel } from "../model/scripted-model.ts";
import type { ScriptedModel, Turn } from "../model/scripted-model.ts";
import type { ModelRequest } from "../model/model-format.ts";
import type { Place, Program, Setting, ToldConversation } from "../programs/program.ts";
import { pagewire } from "./machine.ts";
import type { Machine } from "./machine.ts";
import { openTerminal } from "./terminal.ts";
import type { Terminal } from "./terminal.ts";

/** Where `npm run agents` installs the programs. */
const installed = process.env["PAGEWIRE_AGENTS"] ?? fileURLToPath(new URL("../../../.cache/agents", import.meta.url));

/** The programs, and before this Node the newer one that comes with them. */
const path = [
  join(installed, "node_modules", ".bin"),
  join(installed, "node_modules", `node-${process.platform}-${process.arch}`, "bin"),
  process.env["PATH"] ?? "",
].join(delimiter);

/** No program may need the network: a request to another machine fails at once. */
const nothingLeaves = {
  HTTPS_PROXY: "http://127.0.0.1:9",
  HTTP_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
  npm_config_offline: "true",
};

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  /** From the start of the process to its end. */
  readonly ms: number;
}

/** A conversation that is over. */
export interface Conversation extends Ended, ToldConversation {
  /** The program's requests to its model. */
  readonly requests: readonly ModelRequest[];
}

/** A conversation that runs. */
export interface RunningConversation {
  readonly ended: Promise<Conversation>;
  /** As Ctrl-C in its terminal. */
  interrupt(): void;
}

export interface Agent {
  readonly program: Program;
  readonly version: string;
  readonly project: string;
  readonly model: ScriptedModel;
  /** Its own file that `pagewire connect` wrote. */
  readonly configPath: string;
  /** Connects it, as its user's first step. */
  connect(): Promise<Ended>;
  /** Runs `pagewire` as its user does, in its project. */
  pagewire(...args: readonly string[]): Promise<Ended>;
  /** Runs the program itself. */
  run(args: readonly string[]): Promise<Ended>;
  /** Has a conversation in which its model answers so. */
  talk(...turns: readonly Turn[]): Promise<Conversation>;
  /** The same, with no approval beforehand. */
  talkUnapproved(...turns: readonly Turn[]): Promise<Conversation>;
  start(...turns: readonly Turn[]): Promise<RunningConversation>;
  /** Opens it in a terminal, as a person does, and waits until it takes a prompt; its model answers so. */
  inTerminal<Value>(turns: readonly Turn[], use: (terminal: Terminal) => Promise<Value>): Promise<Value>;
  /** Changes how it is set up for the time of a function. */
  withSetting<Value>(setting: Setting, run: () => Promise<Value>): Promise<Value>;
  readonly place: Place;
  close(): Promise<void>;
}

/** Sets a program up, without Pagewire: that is its user's first step. A process that takes longer than `patience` hangs. */
export async function createAgent(
  program: Program,
  { home, agentConnected }: Machine,
  { patience = 240_000 }: { readonly patience?: number } = {},
): Promise<Agent> {
  const project = join(home, "projects", program.id);
  await mkdir(project, { recursive: true });
  const model = await startScriptedModel(program.format);
  const place = { home, project, modelUrl: model.url };
  const own = await program.setUp(place);
  let setting: Setting = {};
  let configPath = "";

  const environment = () => ({
    PATH: path,
    HOME: home,
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    ...nothingLeaves,
    ...own,
    ...setting.variables,
  });

  const startProcess = (command: string, args: readonly string[]): Promise<OwnedProcess> =>
    spawnOwned(command, args, { cwd: setting.cwd ?? project, env: environment() });

  async function endOf(owned: OwnedProcess, began: number): Promise<Ended> {
    const { code } = await within(
      owned.closed,
      () => `${program.title} did not end:\n${owned.output()}\n${model.complaints.join("\n")}`,
      patience,
    );
    return { code, output: owned.output(), ms: Math.round(performance.now() - began) };
  }

  async function run(command: string, args: readonly string[]): Promise<Ended> {
    const began = performance.now();
    return endOf(await startProcess(command, args), began);
  }

  async function begin(turns: readonly Turn[], approvals: readonly string[]): Promise<RunningConversation> {
    model.script(...turns);
    const began = performance.now();
    const owned = await startProcess(program.command, [
      ...program.talk(setting.prompt ?? "Do what the warehouse needs."),
      ...approvals,
      ...(setting.args ?? []),
    ]);
    const ended = endOf(owned, began).then((end) => {
      if (model.complaints.length > 0) throw new Error(`${model.complaints.join("\n")}\n${end.output}`);
      return { ...end, ...program.read(linesOf(end.output)), requests: model.requests };
    });
    return { ended, interrupt: () => owned.signal("SIGINT") };
  }

  const start = (...turns: readonly Turn[]) => begin(turns, program.approve);

  return {
    program,
    version: await versionOf(program),
    project,
    place,
    model,
    get configPath() {
      return configPath;
    },
    async connect() {
      const end = await run(process.execPath, [pagewire, "connect", program.id, "--write", "--json"]);
      if (end.code !== 0) throw new Error(end.output);
      configPath = (JSON.parse(end.output) as { readonly path: string }).path;
      return end;
    },
    pagewire: (...args) => run(process.execPath, [pagewire, ...args]),
    run: (args) => run(program.command, args),
    start,
    async inTerminal(turns, use) {
      model.script(...turns);
      const began = Date.now();
      const command = [program.command, ...program.inTerminal.args, ...(setting.args ?? [])];
      const terminal = openTerminal({ command, cwd: project, env: environment(), home });
      try {
        await terminal.shows(program.inTerminal.ready);
        await agentConnected(began);
        const value = await use(terminal);
        if (model.complaints.length > 0) throw new Error(model.complaints.join("\n"));
        return value;
      } finally {
        await terminal.close();
      }
    },
    talk: async (...turns) => (await start(...turns)).ended,
    talkUnapproved: async (...turns) => (await begin(turns, [])).ended,
    async withSetting(changed, body) {
      const { file } = changed;
      const before = file && (await readFile(file.path, "utf8"));
      setting = changed;
      try {
        if (file && before !== undefined) await writeFile(file.path, file.change(before));
        return await body();
      } finally {
        setting = {};
        if (file && before !== undefined) await writeFile(file.path, before);
      }
    },
    close: () => model.close(),
  };
}

async function versionOf(program: Program): Promise<string> {
  if (!existsSync(manifestOf(program)))
    throw new Error(`${program.title} is not installed: npm run agents installs it.`);
  return (JSON.parse(await readFile(manifestOf(program), "utf8")) as { readonly version: string }).version;
}

function manifestOf(program: Program): string {
  return join(installed, "node_modules", program.package, "package.json");
}

/** Programs write other lines between those of their machine format. */
function linesOf(output: string): readonly object[] {
  return output.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as object];
    } catch {
      return [];
    }
  });
}
