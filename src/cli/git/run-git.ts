import { execFile } from "node:child_process";
import type { ExecFileException } from "node:child_process";
import { PagewireError, parseUrl } from "../../wire/index.ts";
import type { Io } from "../common/io.ts";
import { dirname } from "node:path";
import { oneLine } from "../common/plain-text.ts";
import { maskWord } from "./credential.ts";

/** The repository that a helper runs for, for a person: its folder, and its remote at this host. */
export async function findRepository(runGit: RunGit, host: string): Promise<string | undefined> {
  const folder = await findFolder(runGit);
  if (folder === undefined) return undefined;
  const remotes = await attempt(runGit, ["config", "--get-regexp", String.raw`^remote\..*\.(push)?url$`]);
  const urls = new Set((remotes ?? "").split("\n").flatMap((line) => remoteAt(host, line)));
  const [only, ...others] = urls;
  return oneLine(only === undefined || others.length > 0 ? folder : `${folder} (${only})`, maxLength);
}

const maxLength = 300;

/** Git sets its own folder for its helpers; it is in the repository's folder, except in an additional work tree. */
async function findFolder(runGit: RunGit): Promise<string | undefined> {
  const own = await attempt(runGit, ["rev-parse", "--absolute-git-dir"]);
  if (own === undefined || /[\\/]\.git$/.test(own)) return own && dirname(own);
  return (await attempt(runGit, ["rev-parse", "--show-toplevel"])) ?? own;
}

/** Git's output, if any: there may be no repository here, or no remote. */
async function attempt(runGit: RunGit, args: readonly string[]): Promise<string | undefined> {
  const text = await runGit(args).catch(() => "");
  return text.trim() || undefined;
}

function remoteAt(host: string, line: string): readonly string[] {
  const url = line.slice(line.indexOf(" ") + 1);
  return parseUrl(url)?.host === host ? [maskWord(url)] : [];
}

/** Runs a git command and returns its output; rejects with git's own message if it fails. */
export type RunGit = (args: readonly string[]) => Promise<string>;

const answerTimeout = 10_000;

export function createRunGit({ environment }: Pick<Io, "environment">): RunGit {
  const options = { env: { ...environment, LC_ALL: "C" }, timeout: answerTimeout };
  return (args) =>
    new Promise((resolve, reject) => {
      execFile("git", args, options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new PagewireError("internal-error", whyFailed(error, stderr), { cause: error }));
      });
    });
}

function whyFailed({ code }: ExecFileException, stderr: string): string {
  if (code === "ENOENT") return "There is no git here. Install it, and see that it is in the PATH.";
  return stderr.trim().replace(/^(fatal|error): /, "") || "Git failed, and did not say why.";
}
