import { createContextFiles } from "../../state/index.ts";
import type { State } from "../../state/index.ts";
import { defineCommand, namingOptions, numberOption } from "../common/command.ts";
import type { CommandContext, OptionSpecs, OptionValues } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { defaultPort, explicitHub, openOwnState } from "../reach-hub/find-hub.ts";
import type { FoundHub } from "../reach-hub/find-hub.ts";
import type { Io } from "../common/io.ts";
import type { CreateStarter } from "../mcp/upstream/hub-finder.ts";
import { createHubSource } from "../mcp/upstream/hub-source.ts";
import { createHubStarter } from "../run-hub/hub-starter.ts";
import { serveClient } from "../mcp/serve-client.ts";
import { systemWaiting } from "../mcp/upstream/wait.ts";
import { oneLine } from "../common/plain-text.ts";

const options = {
  tab: { type: "string", value: "ID", summary: "Only what this tab offers, under its own names." },
  ...namingOptions,
  port: { type: "string", value: "N", summary: `Where to start a hub if none runs, ${defaultPort} by default.` },
  "no-start": { type: "boolean", summary: "Start no hub; use one that runs." },
} as const satisfies OptionSpecs;

export const mcp = defineCommand({
  name: "mcp",
  summary: "Serve MCP on stdin and stdout, for clients that start a command.",
  usage: "",
  positionals: { min: 0, max: 0 },
  options,
  notes: [
    "Any number of these share the one hub that runs on this machine. If none runs, one is started in the background and stays; its log is hub.log in the state directory. With --hub, --context, PAGEWIRE_URL or PAGEWIRE_TOKEN none is started. A client that takes an address needs no command: give it the hub's, with /mcp behind it.",
    "With --context it serves a hub that you signed in to, and brings that sign-in's token, which it renews. It does not follow: pagewire context use",
    "It ends with its client. To stdout it writes MCP and nothing else.",
  ],
  examples: ["pagewire mcp", "pagewire mcp --tab Xb3fQ0aZ19kLmN2c", "claude mcp add pagewire -- npx pagewire mcp"],
  run,
});

async function run({ io, printer, values }: CommandContext<typeof options>): Promise<ExitCode> {
  const note = (text: string) => printer.note(`pagewire mcp: ${oneLine(text)}`);
  const state = openOwnState(io);
  const named = explicitHub(values, io, state);
  noteInUse(named, state, note);
  const stopping = new AbortController();
  const source = createHubSource({
    io,
    state,
    named,
    tab: values.tab,
    createStarter: starterFor({ io, values, state, signal: stopping.signal, note }),
    waiting: systemWaiting,
    note,
  });
  const read = await serveClient({ io, source, waiting: systemWaiting, parentId: () => process.ppid, note });
  stopping.abort();
  await source.settled?.();
  state.close();
  // A client that neither reads nor ends would keep this process for as long as it likes.
  if (read === "not-all-read") process.exit(0);
  return 0;
}

/** A program that clients start keeps its hub, whichever context its user turns to. */
function noteInUse(named: FoundHub | undefined, { directory }: State, note: (text: string) => void): void {
  const inUse = createContextFiles(directory).inUse();
  if (named !== undefined || inUse === undefined) return;
  note(
    `Serves the hub of this machine, not that of the context in use, ${inUse}. For that one: npx pagewire mcp --context ${inUse}`,
  );
}

interface StarterFor {
  readonly io: Io;
  readonly values: OptionValues<typeof options>;
  readonly state: State;
  readonly signal: AbortSignal;
  note(text: string): void;
}

function starterFor({ io, values, state, signal, note }: StarterFor): CreateStarter | undefined {
  const port = numberOption("port", values.port, { min: 0, max: 65_535, isWhole: true });
  // A hub that is started here would not know that token.
  if (values["no-start"] || io.environment["PAGEWIRE_TOKEN"]) return undefined;
  return (isThere) =>
    createHubStarter({
      program: process.argv[1] ?? "",
      args: port === undefined ? [] : ["--port", String(port)],
      directory: state.directory,
      environment: io.environment,
      waiting: systemWaiting,
      signal,
      isThere,
      note,
    });
}
