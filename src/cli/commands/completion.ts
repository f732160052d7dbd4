import { clientTable } from "../connect/clients/client-table.ts";
import { commandTable } from "../command-table.ts";
import { commonOptions, defineCommand, usageError } from "../common/command.ts";
import type { Command } from "../common/command.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import type { Io } from "../common/io.ts";
import { plainText } from "../common/plain-text.ts";
import { createContextFiles } from "../../state/index.ts";
import { localName } from "../contexts/context.ts";
import { withHub } from "../reach-hub/connect-to-hub.ts";
import { openOwnState } from "../reach-hub/find-hub.ts";

const shells: Readonly<Record<string, string>> = {
  bash: `_pagewire() {
  local IFS=$'\\n'
  COMPREPLY=($(pagewire completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _pagewire pagewire`,
  zsh: `#compdef pagewire
_pagewire() {
  local -a found
  found=("\${(@f)$(pagewire completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _pagewire pagewire`,
  fish: `complete -c pagewire -f -a '(pagewire completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
};

export const completion = defineCommand({
  name: "completion",
  summary: "Print a script that completes commands, options, tools and tabs in a shell.",
  usage: `${Object.keys(shells).join("|")}`,
  positionals: { min: 1, max: Infinity },
  options: commonOptions,
  notes: [
    "For bash: pagewire completion bash > ~/.local/share/bash-completion/completions/pagewire. For zsh, put it into a file named _pagewire in a folder of $fpath. For fish: pagewire completion fish > ~/.config/fish/completions/pagewire.fish. It completes `pagewire`, which must be on the PATH: npm install -g pagewire.",
  ],
  examples: ["pagewire completion fish | source", "source <(pagewire completion bash)"],
  async run({ io, printer, positionals: [shell = "", ...line] }): Promise<ExitCode> {
    if (shell === "words") {
      for (const word of await candidates(line, io)) printer.line(plainText(word));
      return 0;
    }
    const script = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
    if (script === undefined)
      throw usageError(`There is no script for "${shell}". There is for ${Object.keys(shells).join(", ")}.`);
    if (printer.json) printer.data({ script });
    else printer.line(script);
    return 0;
  },
});

/** The possible completions of the last word of a line. */
async function candidates(line: readonly string[], io: Io): Promise<readonly string[]> {
  const word = line.at(-1) ?? "";
  const [name = ""] = line;
  const all = line.length < 2 ? Object.keys(commandTable) : await wordsOf(name, line.slice(1), io);
  return all.filter((each) => each.startsWith(word));
}

async function wordsOf(name: string, line: readonly string[], io: Io): Promise<readonly string[]> {
  const command = Object.hasOwn(commandTable, name) ? await commandTable[name]?.load() : undefined;
  if (!command) return [];
  const word = line.at(-1) ?? "";
  const before = line.at(-2) ?? "";
  if (word.startsWith("-")) return [...Object.keys(command.options), "help"].map((option) => `--${option}`);
  if (before === "--tab") return tabIds(io);
  if (before === "--context" || (name === "context" && line.length === 2)) return contextNames(io);
  if (takesValue(command, before)) return [];
  return line.length === 1 ? firstWords(command, io) : [];
}

function takesValue({ options }: Command, word: string): boolean {
  return word.startsWith("--") && options[word.slice(2)]?.type === "string";
}

function contextNames(io: Io): readonly string[] {
  return [localName, ...createContextFiles(openOwnState(io).directory).list()];
}

/** The first argument of a command, where it is one of a few. */
async function firstWords({ name, usage }: Command, io: Io): Promise<readonly string[]> {
  if (name === "help") return Object.keys(commandTable);
  if (name === "connect") return clientTable.map(({ id }) => id);
  if (name === "call") return fromHub(io, async (client) => (await client.offer()).tools.map((tool) => tool.name));
  if (name === "attach-browser") return tabIds(io);
  return /^\[?([a-z]+(?:\|[a-z]+)+)/.exec(usage)?.[1]?.split("|") ?? [];
}

function tabIds(io: Io): Promise<readonly string[]> {
  return fromHub(io, async (client) => (await client.tabs()).map(({ tabId }) => tabId));
}

/** Nothing, if no hub answers. */
async function fromHub(io: Io, ask: Parameters<typeof withHub<readonly string[]>>[2]): Promise<readonly string[]> {
  return withHub({}, io, ask).catch(() => []);
}
