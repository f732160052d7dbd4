// Writes into git's config that it asks the tab, shows what it wrote, and says who is asked before.
import type { CommandContext } from "../command.ts";
import { usageError } from "../command.ts";
import { ownInstallation } from "../connect/launch.ts";
import { shellWords } from "../connect/shell-words.ts";
import { plainText } from "../console/plain-text.ts";
import type { ExitCode } from "../exit-codes.ts";
import { configText, entriesFor } from "./config-entries.ts";
import type { ConfigEntry } from "./config-entries.ts";
import { helperCommand } from "./helper-command.ts";
import { helpersBefore, listHelpers } from "./list-helpers.ts";
import type { ConfiguredHelper } from "./list-helpers.ts";
import { createRunGit } from "./run-git.ts";
import type { RunGit } from "./run-git.ts";
import type { setupOptions } from "./setup-options.ts";

type Scope = "global" | "local";

/** What came of one line of the config. */
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
