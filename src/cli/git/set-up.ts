// Writes the helper into git's config, shows the result, and lists the helpers that git asks first.
import { parseUrl } from "../../wire/index.ts";
import { usageError, commonOptions } from "../common/command.ts";
import type { CommandContext, OptionSpecs } from "../common/command.ts";
import { ownInstallation, isOnPath } from "../connect/launch.ts";
import type { Installation } from "../connect/launch.ts";
import { shellWords } from "../console/shell-words.ts";
import { plainText } from "../common/plain-text.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { createRunGit } from "./run-git.ts";
import type { RunGit } from "./run-git.ts";
import type { Io } from "../common/io.ts";

/** The options of `pagewire git-credential setup`. */
export const setupOptions = {
  global: { type: "boolean", summary: "setup: write into your own git config, as it does anyway." },
  local: { type: "boolean", summary: "setup: write into the git config of this repository." },
  host: { type: "string", value: "URL", summary: "setup: for this host only, such as https://git.example.com" },
  "use-http-path": { type: "boolean", summary: "setup: tell accounts apart by repository, not by host alone." },
  print: { type: "boolean", summary: "setup: show what it would write, and write nothing." },
  ...commonOptions,
} as const satisfies OptionSpecs;

/** A helper in git's config. */
interface ConfiguredHelper extends ConfigEntry {
  readonly scope: string;
}

/** All helpers in the order in which git asks them, without those that a later line removes. */
async function listHelpers(runGit: RunGit): Promise<readonly ConfiguredHelper[]> {
  const text = await runGit(["config", "--show-scope", "-z", "--get-regexp", String.raw`^credential\.(.*\.)?helper$`])
    // Git fails where there is none.
    .catch(() => "");
  const words = text.split("\0").slice(0, -1);
  let helpers: readonly ConfiguredHelper[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [scope = "", entry = ""] = words.slice(at, at + 2);
    const end = entry.indexOf("\n");
    const [key, value] = end === -1 ? [entry, ""] : [entry.slice(0, end), entry.slice(end + 1)];
    // An empty value removes the earlier ones: all of them, or those for its host.
    if (value !== "") helpers = [...helpers, { scope, key, value }];
    else helpers = helpers.filter((before) => key !== "credential.helper" && before.key !== key);
  }
  return helpers;
}

/** The order in which git reads its files, and asks the helpers in them. */
const scopes = ["system", "global", "local", "worktree", "command"];

/** The helpers that git asks before this one, which is added at the end of its scope if it is missing. */
function helpersBefore(
  { key, value, scope }: ConfiguredHelper,
  helpers: readonly ConfiguredHelper[],
): readonly ConfiguredHelper[] {
  const isOwn = (other: ConfiguredHelper) => other.key === key && other.value === value && other.scope === scope;
  const own = helpers.findIndex(isOwn);
  const last = scopes.indexOf(scope);
  const before = own === -1 ? helpers.filter((other) => scopes.indexOf(other.scope) <= last) : helpers.slice(0, own);
  const isForAll = key === "credential.helper";
  return before.filter(
    (other) => other.value !== value && (isForAll || /^credential\.helper$/.test(other.key) || other.key === key),
  );
}

type Scope = "global" | "local";

/** The result for one line of the config. */
interface WrittenEntry extends ConfigEntry {
  readonly result: "added" | "unchanged" | "printed";
}

export async function setUp({ io, printer, values }: CommandContext<typeof setupOptions>): Promise<ExitCode> {
  if (values.global && values.local) throw usageError("Give --global or --local, not both.");
  const scope: Scope = values.local ? "local" : "global";
  const runGit = createRunGit(io);
  const helper = helperCommand(io, ownInstallation());
  const entries = entriesFor({ helper, host: values.host, useHttpPath: values["use-http-path"] });
  const written: WrittenEntry[] = [];
  for (const entry of entries) {
    written.push({ ...entry, result: values.print ? "printed" : await write(runGit, scope, entry) });
  }
  const before = helpersBefore({ ...entries[0], scope }, await listHelpers(runGit));
  if (printer.json) {
    printer.data({ scope, entries: written, before });
    return 0;
  }
  if (!values.print) printer.line(headline(scope, written));
  printer.line(plainText(configText(entries)));
  for (const each of before) printer.note(plainText(warningOf(each, io.platform)));
  if (!values.print) printer.note(plainText(`To take it back: ${unsetCommand({ ...entries[0], scope }, io.platform)}`));
  return 0;
}

/** Helpers are a list, which is added to; a setting is set. */
async function write(runGit: RunGit, scope: Scope, { key, value }: ConfigEntry): Promise<"added" | "unchanged"> {
  const present = await runGit(["config", `--${scope}`, "-z", "--get-all", key]).catch(() => "");
  if (present.split("\0").slice(0, -1).includes(value)) return "unchanged";
  await runGit(["config", `--${scope}`, ...(key.endsWith(".helper") ? ["--add"] : []), key, value]);
  return "added";
}

function headline(scope: Scope, written: readonly WrittenEntry[]): string {
  const place = scope === "global" ? "your git config" : "the git config of this repository";
  return written.every(({ result }) => result === "unchanged")
    ? `This stands in ${place} already. Nothing was changed.`
    : `This was written into ${place}:`;
}

function warningOf(helper: ConfiguredHelper, platform: string): string {
  const { scope, key, value } = helper;
  return `Note: git asks another helper first, ${key} = ${value} (${scope}), and asks the tab only what that one does not know. To take it out: ${unsetCommand(helper, platform)}`;
}

function unsetCommand({ scope, key, value }: ConfiguredHelper, platform: string): string {
  return shellWords(["git", "config", `--${scope}`, "--fixed-value", "--unset-all", key, value], platform);
}

/**
 * The command for git's config: `pagewire` if it is on the PATH, otherwise this installation by its full path. Git
 * passes the text after the `!` to its own shell, on every platform.
 */
export function helperCommand({ environment }: Pick<Io, "environment">, installation: Installation): string {
  const { node, script } = installation;
  const isCommand = isOnPath(environment["PATH"] ?? environment["Path"] ?? "", installation);
  const words = isCommand ? ["pagewire"] : [node, script].map((path) => path.replaceAll("\\", "/"));
  return `!${shellWords([...words, "git-credential"], "posix")}`;
}

/** One line of git's config. */
interface ConfigEntry {
  readonly key: string;
  readonly value: string;
}

interface EntryChoices {
  /** The command that git runs. */
  readonly helper: string;
  /** The host, or a part of it, that it is for; all by default. */
  readonly host: string | undefined;
  /** Whether repositories of one host have separate accounts. */
  readonly useHttpPath: boolean;
}

/** The entries for git's config. The helper comes first. */
function entriesFor({ helper, host, useHttpPath }: EntryChoices): readonly [ConfigEntry, ...ConfigEntry[]] {
  const section = host === undefined ? "credential" : `credential.${addressOf(host)}`;
  const first = { key: `${section}.helper`, value: helper };
  return useHttpPath ? [first, { key: `${section}.useHttpPath`, value: "true" }] : [first];
}

/** The entries as git's config file has them. */
function configText(entries: readonly [ConfigEntry, ...ConfigEntry[]]): string {
  const [, host] = /^credential\.(.+)\.[^.]+$/.exec(entries[0].key) ?? [];
  const lines = entries.map(({ key, value }) => `\t${key.slice(key.lastIndexOf(".") + 1)} = ${quoted(value)}`);
  return [host === undefined ? "[credential]" : `[credential ${quoted(host)}]`, ...lines].join("\n");
}

function quoted(text: string): string {
  return /^[\w.]+$/.test(text) ? text : `"${text.replaceAll(/[\\"]/g, String.raw`\$&`)}"`;
}

/** The address in the form that git compares with its requests. */
function addressOf(host: string): string {
  const url = parseUrl(host);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw usageError(`--host must be an address such as https://git.example.com, not "${host}".`);
  }
  if (url.password) throw usageError("--host must not hold a password: it would stand in git's config.");
  const user = url.username && `${url.username}@`;
  return `${url.protocol}//${user}${url.host}${url.pathname.replace(/\/+$/, "")}`;
}
