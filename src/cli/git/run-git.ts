import { execFile } from "node:child_process";
import type { ExecFileException } from "node:child_process";
import { PagewireError } from "../../wire/index.ts";
import type { Io } from "../io.ts";

/** Runs a git command and gives what it writes; rejects with git's own words where it fails. */
export type RunGit = (args: readonly string[]) => Promise<string>;

const ANSWER_TIME = 10_000;

export function createRunGit({ environment }: Pick<Io, "environment">): RunGit {
  const options = { env: { ...environment, LC_ALL: "C" }, timeout: ANSWER_TIME };
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
