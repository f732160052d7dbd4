import { dirname, relative, resolve } from "node:path";
import { builtInToolNames, identifierPattern } from "../../wire/index.ts";
import { findClient, clientTable } from "../connect/clients/client-table.ts";
import type { ClientDefinition, Scope, Step } from "../connect/clients/client.ts";
import type { Bounded } from "../connect/config/config-file.ts";
import { clientSetups, connectionFor, firstLine } from "../connect/connection.ts";
import type { ConnectionWithNotes } from "../connect/connection.ts";
import { showWriting } from "../connect/write-config.ts";
import { defineCommand, hubOptions, usageError } from "../common/command.ts";
import type { OptionValues } from "../common/command.ts";
import { openOwnState } from "../reach-hub/find-hub.ts";
import type { Io } from "../common/io.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import type { Printer } from "../common/printer.ts";
import { plainText } from "../common/plain-text.ts";
import { table, wrap } from "../console/layout.ts";

/** Lists the clients, one line each. */
function showClients({ stdout }: Pick<Io, "stdout">, printer: Printer): ExitCode {
  const clients = clientTable.map(({ id, title, summary }) => ({ id, title, summary }));
  if (printer.json) {
    printer.data({ clients });
    return 0;
  }
  const rows = clients.map(({ id, title, summary }) => [id, title, summary]);
  const [head = "", ...lines] = table([["CLIENT", "", "CONFIGURATION"], ...rows], stdout.columns || undefined);
  printer.line(printer.out.dim(head));
  for (const line of lines) printer.line(line);
  printer.line();
  printer.line("See what one needs with: npx pagewire connect <client>");
  return 0;
}

/** Prints the line that connects each client to this user's hub. */
function printLines(io: Io, printer: Printer): ExitCode {
  const clients = clientSetups(io, openOwnState(io));
  if (printer.json) printer.data({ clients });
  else for (const { title, line } of clients) printer.line(`${printer.out.dim(`# ${title}`)}\n${line}`);
  return 0;
}

/** Shows both ways to connect a client: by stdio and by HTTP. */
function showConnection(
  client: ClientDefinition,
  { connection, notes, httpNotes, isSignedIn }: ConnectionWithNotes,
  printer: Printer,
): ExitCode {
  const { name, stdio, url } = connection;
  const { id, title, restart } = client;
  const [stdioSteps, httpSteps] = [client.stdioSteps(connection), isSignedIn ? [] : client.httpSteps(connection)];
  const check = client.check(name);
  if (printer.json) {
    const { command, args, env } = stdio;
    const entry = client.stdioEntry(stdio);
    printer.data({
      client: id,
      name,
      stdio: { command, args, env, entry, steps: stdioSteps },
      http: { url, steps: httpSteps },
      restart,
      check,
      notes: [...notes, ...httpNotes],
    });
    return 0;
  }
  const { bold } = printer.out;
  const paragraph = (text: string, indent = "") => {
    for (const line of wrap(text, lineWidth - indent.length)) printer.line(indent + line);
  };
  const showSteps = (label: string, steps: readonly Step[]) => {
    printer.line(bold(label));
    for (const { text, code, isSecret } of steps) {
      paragraph(text, "  ");
      for (const line of code === undefined ? [] : plainText(code).split("\n")) printer.line(`    ${line}`);
      if (isSecret) paragraph(secret, "  ");
    }
  };
  showSteps(`${title} by stdio: it starts a small program, and no token is written anywhere`, stdioSteps);
  for (const note of notes) paragraph(`Note: ${note}`, "  ");
  printer.line();
  if (isSignedIn) {
    showSteps(`${title} by HTTP`, []);
    for (const note of httpNotes) paragraph(note, "  ");
    printer.line();
  } else if (httpSteps.length > 0) {
    showSteps(`${title} by HTTP: it speaks to ${url} itself, and needs the token`, httpSteps);
    for (const note of httpNotes) paragraph(`Note: ${note}`, "  ");
    printer.line();
  }
  printer.line(bold("Then"));
  for (const text of [restart, ...check]) paragraph(text, "  ");
  return 0;
}

const secret =
  "This line has the token, which is a secret: anyone who has it can call every tool of every open page. npx pagewire token rotate makes a new one.";

/** Help is read, and copied, on terminals of any width; this fits nearly all. */
const lineWidth = 80;

const options = {
  print: { type: "boolean", summary: "Only print the line that connects each client, or this one." },
  write: { type: "boolean", summary: "Write the form without a token into the client's file." },
  "dry-run": { type: "boolean", summary: "Show what --write would write." },
  project: { type: "string", value: "DIR", summary: "The project whose file it is; else the current folder." },
  user: { type: "boolean", summary: "Your own file, for all projects." },
  name: { type: "string", value: "NAME", summary: "The hub's name in the client; pagewire by default." },
  tab: { type: "string", value: "ID", summary: "Only one tab, its tools under their own names." },
  absolute: { type: "boolean", summary: "Name Node and this installation by their full paths." },
  ...hubOptions,
} as const;

type Values = OptionValues<typeof options>;

export const connect = defineCommand({
  name: "connect",
  summary: "Connect an MCP client, such as Claude Code or Cursor.",
  usage: "[client]",
  positionals: { min: 0, max: 1 },
  options,
  notes: [
    "Without a client it lists them. It shows what a client needs; --write puts it into the client's file, keeps everything else there as it is, and writes no token.",
    "--absolute is for clients that do not find npx. Claude Desktop and LM Studio, which are started from a menu, get full paths anyway.",
  ],
  examples: [
    "pagewire connect",
    "pagewire connect claude-code",
    "pagewire connect codex --print",
    "pagewire connect cursor --write",
    "pagewire connect vscode --write --user --name sales --tab 7f3a",
  ],
  async run({ io, printer, values, positionals: [clientName] }) {
    if (values.print && (values.write || values["dry-run"])) throw usageError("Give --print or --write, not both.");
    if (values.print && clientName === undefined) return printLines(io, printer);
    if (clientName === undefined) {
      if (values.write || values["dry-run"]) throw usageError("Which client? See them with: npx pagewire connect");
      return showClients(io, printer);
    }
    const client = findClient(clientName);
    const scope = scopeOf(values, client);
    const project = resolve(values.project ?? ".");
    const { tab, absolute: isAbsolute } = checked(values);
    const name = nameOf(values, client);
    const writeArguments = writeArgumentsOf(values, client);
    const path = client.configPath(scope, { ...io, project });
    if (path === undefined) throw usageError(`${client.title} has no file of a project's. Leave out --project.`);
    const choices = {
      scope,
      path,
      project,
      name,
      tab,
      hub: values,
      isAbsolute,
      writeArguments,
      state: openOwnState(io),
    };
    const connection = connectionFor(client, choices, io);
    if (values.print) {
      const line = firstLine(client, connection.connection);
      if (printer.json) printer.data({ client: client.id, line });
      else printer.line(line);
      return 0;
    }
    if (!values.write && !values["dry-run"]) return showConnection(client, connection, printer);
    const file = { path, ...boundsOf(scope === "project" ? project : undefined, path, io) };
    return showWriting({ client, file, isDry: values["dry-run"] }, connection, printer);
  },
});

function scopeOf({ project, user }: Values, client: ClientDefinition): Scope {
  if (project !== undefined && user) throw usageError("Give --project or --user, not both.");
  if (user) return "user";
  return project === undefined ? client.defaultScope : "project";
}

/** A project's file must be inside the project, a user's own file inside the folder of its configuration. */
function boundsOf(project: string | undefined, path: string, { homeDirectory }: Io): Omit<Bounded, "path"> {
  if (project !== undefined) return { folder: project, owner: "the project" };
  const isAtHome = !relative(homeDirectory, path).startsWith("..");
  return { folder: isAtHome ? homeDirectory : dirname(path), owner: "your own configuration" };
}

function checked(values: Values): Values {
  const { tab } = values;
  if (tab === undefined || identifierPattern.test(tab)) return values;
  throw usageError(`"${tab}" is not the id of a tab. List the tabs with: npx pagewire tabs`);
}

/** Checks a name against the rules that all clients share. */
function nameOf({ name = "pagewire" }: Values, { title, reservedNames = [], limits }: ClientDefinition): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw usageError(`--name must be 1 to 64 letters, digits, dashes or underscores, not "${name}".`);
  }
  if (reservedNames.includes(name)) throw usageError(`${title} keeps the name "${name}" for itself: choose another.`);
  const longest = (limits?.name ?? Infinity) - Math.max(...builtInToolNames.map(({ length }) => length)) - 1;
  if (name.length > longest) {
    throw usageError(
      `${title} would leave out even the hub's own tools under so long a name: --name may have ${longest} characters.`,
    );
  }
  return name;
}

function writeArgumentsOf(values: Values, { id }: ClientDefinition): readonly string[] {
  const given = (["project", "name", "tab", "hub", "context"] as const).flatMap((option) => {
    const value = values[option];
    return value === undefined ? [] : [`--${option}`, value];
  });
  const flags = (["user", "absolute"] as const).flatMap((option) => (values[option] ? [`--${option}`] : []));
  return ["connect", id, "--write", ...flags, ...given];
}
