import { version } from "../hub/common/version.ts";
import { defineCommand, commonOptions } from "./common/command.ts";
import type { Command, OptionSpec } from "./common/command.ts";
import { commandTable, findCommand } from "./command-table.ts";
import { exitCodes } from "./common/exit-codes.ts";
import type { Style } from "./common/printer.ts";
import { indent, wrap } from "./console/layout.ts";

export const help = defineCommand({
  name: "help",
  summary: "Explain a command.",
  usage: "[command]",
  positionals: { min: 0, max: 1 },
  options: commonOptions,
  examples: ["pagewire help", "pagewire help call"],
  async run({ printer, positionals: [name] }) {
    const text = name === undefined ? generalHelp(printer.out) : commandHelp(await findCommand(name), printer.out);
    if (printer.json) printer.data({ help: text });
    else printer.line(text);
    return 0;
  },
});

export function generalHelp(style: Style): string {
  return [
    `${style.bold("pagewire")} ${version}: lets any AI agent call the tools that a web page already has.`,
    "",
    "Usage: pagewire [command] [options]",
    "",
    ...section(
      style,
      "Commands",
      Object.entries(commandTable).map(([name, { summary }]) => [name, summary] as const),
    ),
    ...section(style, "Options", [
      ["--help", "Explain a command: pagewire call --help"],
      ["--version", "Say which version this is."],
      ["--json", "Write for programs: JSON on stdout, errors as JSON on stderr."],
    ]),
    ...section(style, "Environment", [
      ["PAGEWIRE_HOME", "The folder that holds the token and the allowed origins."],
      ["PAGEWIRE_URL", "The hub's address, where it is not the one that runs here."],
      ["PAGEWIRE_CONTEXT", "The context to use, of those that pagewire login made."],
      ["PAGEWIRE_KEYRING", "Set to off to keep what signs you in in a file for you alone."],
      ["PAGEWIRE_TOKEN", "The token to bring instead of the one in that folder."],
      ["PAGEWIRE_SHELL_KEY", "The shell key, or the token for terminals, to bring instead of the one there."],
      [
        "PAGEWIRE_RELAY_TO",
        "Where the hub itself listens, if a tunnel or a container's port of yours leads to it; of several hubs, with commas.",
      ],
      ["PAGEWIRE_DATABASE", "Where the hub keeps things: a file, or postgres://user:password@host/name."],
      ["PAGEWIRE_NATS", "The NATS server over which hubs share pages: tls://user:password@host:4222."],
      ["TRACEPARENT", "Where a call is in a trace, as W3C writes it; TRACESTATE goes with it."],
      ["PAGEWIRE_DEBUG", "Set to 1 to see where an error comes from."],
      ["NO_COLOR", "Set to anything for no colours."],
    ]),
    ...section(style, "Exit codes", Object.entries(exitCodes)),
  ].join("\n");
}

export function commandHelp(command: Command, style: Style): string {
  const { name, summary, usage, options, notes = [], examples } = command;
  return [
    summary,
    "",
    ...wrap(`Usage: pagewire ${[name, usage, "[options]"].filter((part) => part !== "").join(" ")}`, lineWidth),
    "",
    ...section(style, "Options", [...Object.entries(options).map(describeOption), ["--help", "Show this."]]),
    ...notes.flatMap((note) => [...wrap(note, lineWidth), ""]),
    style.bold("Examples"),
    ...examples.map((example) => `  ${example}`),
  ].join("\n");
}

function describeOption([name, { value, multiple, summary }]: [string, OptionSpec]): readonly [string, string] {
  const form = value === undefined ? `--${name}` : `--${name} ${value}`;
  return [form, multiple === true ? `${summary} Can be given again.` : summary];
}

/** Help is read, and copied, on terminals of any width; this fits nearly all. */
const lineWidth = 80;

function section(style: Style, title: string, rows: readonly (readonly [string, string])[]): readonly string[] {
  const start = Math.max(...rows.map(([name]) => name.length)) + 4;
  const lines = rows.flatMap(([name, text]) => {
    const [first = "", ...more] = indent(text, start, lineWidth);
    return [`  ${name}`.padEnd(start) + first.trimStart(), ...more];
  });
  return [style.bold(title), ...lines, ""];
}
