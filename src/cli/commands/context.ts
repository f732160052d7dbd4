import { createContextFiles } from "../../state/index.ts";
import type { ContextFiles } from "../../state/index.ts";
import { messageOf } from "../../wire/index.ts";
import { commonOptions, defineCommand, usageError } from "../common/command.ts";
import type { CommandContext } from "../common/command.ts";
import { table } from "../console/layout.ts";
import { contextNamed, localName, readContext } from "../contexts/context.ts";
import { forget } from "../contexts/forget.ts";
import { openOwnState } from "../reach-hub/find-hub.ts";

type Context = CommandContext<typeof commonOptions>;

export const context = defineCommand({
  name: "context",
  summary: "List the hubs that you signed in to, choose one, or remove one.",
  usage: "list|use|remove [name]",
  positionals: { min: 0, max: 2 },
  options: commonOptions,
  notes: [
    "A context is a hub with your sign-in, made by pagewire login. The commands ask the one in use; --context NAME and PAGEWIRE_CONTEXT name another, and --hub and PAGEWIRE_URL an address. The context local is the hub of this machine. pagewire mcp keeps to what its own line says.",
  ],
  examples: [
    "pagewire context list",
    "pagewire context use acme",
    "pagewire context use local",
    "pagewire context remove acme",
  ],
  async run(given) {
    const [action = "list", name] = given.positionals;
    const files = createContextFiles(openOwnState(given.io).directory);
    if (action === "list" && name === undefined) list(files, given);
    else if (action === "use" && name !== undefined) use(files, name, given);
    else if (action === "remove" && name !== undefined) await remove(files, name, given);
    else throw usageError("Write: npx pagewire context list, or: context use <name>, or: context remove <name>.");
    return 0;
  },
});

function list(files: ContextFiles, { io, printer }: Context): void {
  const inUse = files.inUse() ?? localName;
  const own = openOwnState(io).runningHub()?.url;
  const contexts = files.list().map((name) => describe(files, name));
  const all = [{ name: localName, hub: own, state: own === undefined ? "not running" : "runs here" }, ...contexts];
  const rows = all.map((each) => ({ ...each, isInUse: each.name === inUse }));
  if (printer.json) return printer.data({ contexts: rows });
  const cells = rows.map(({ name, hub = "", state, isInUse }) => [isInUse ? "*" : " ", name, state, hub]);
  const [head = "", ...lines] = table([["", "CONTEXT", "STATE", "HUB"], ...cells], io.stdout.columns || undefined);
  for (const line of [printer.out.dim(head), ...lines]) printer.line(line);
}

/** A file that cannot be read is listed, so that it can be removed. */
function describe(files: ContextFiles, name: string) {
  try {
    const { hub, kept } = readContext(files, name) ?? {};
    return { name, hub, state: kept === undefined ? "signed out" : "signed in" };
  } catch (error) {
    return { name, hub: undefined, state: `unusable: ${messageOf(error)}` };
  }
}

function use(files: ContextFiles, name: string, { printer }: Context): void {
  const found = contextNamed(files, name);
  files.use(found?.name);
  if (printer.json) printer.data({ context: name, hub: found?.hub });
  else printer.line(`The commands use ${found === undefined ? "the hub of this machine" : found.hub} now.`);
}

async function remove(files: ContextFiles, name: string, { io, printer }: Context): Promise<void> {
  if (!files.list().includes(name)) contextNamed(files, name);
  if (name === localName) throw usageError("The hub of this machine is always there.");
  const { problem } = await forget(name, files, io).catch((error: unknown) => ({ problem: error }));
  files.remove(name);
  if (printer.json) printer.data({ removed: name });
  else printer.line(`Removed ${name}.`);
  if (problem !== undefined) printer.note(`Its sign-in may go on at the identity provider: ${messageOf(problem)}`);
}
