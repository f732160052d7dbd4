import { defineCommand, usageError } from "../common/command.ts";
import type { CommandContext } from "../common/command.ts";
import { createInterrupts, unlessAborted } from "../console/interrupts.ts";
import type { ExitCode } from "../common/exit-codes.ts";
import { findAsker, argumentsOfProcess, watchProcesses } from "../git/find-asker.ts";
import { findRepository, createRunGit } from "../git/run-git.ts";
import { setUp, setupOptions } from "../git/set-up.ts";
import { openDelegate } from "../terminal-identity/open-delegate.ts";
import { findProcess } from "../../state/index.ts";
import type { Delegate } from "../../hub-client/index.ts";
import { PagewireError, defaultLimits, messageOf } from "../../wire/index.ts";
import { plainText } from "../common/plain-text.ts";
import type { Io } from "../common/io.ts";
import { formatCredential, readCredential, readReply, maskAttributes } from "../git/credential.ts";
import type { Attributes } from "../git/credential.ts";

type Operation = "get" | "store" | "erase";

function isOperation(word: string): word is Operation {
  return word === "get" || word === "store" || word === "erase";
}

/** Details about the asking command, to show in the tab. */
interface Circumstances {
  readonly command?: string;
  readonly repository?: string;
}

interface AnswerNeeds {
  readonly io: Pick<Io, "stdin" | "stdout" | "stderr" | "environment">;
  openDelegate(): Promise<Pick<Delegate, "call">>;
  /** Finds the asking command and its repository. */
  describe(host: string): Promise<Circumstances>;
  /** Aborted when the asking command ended or was interrupted. */
  readonly signal: AbortSignal;
}

/** A timeout for store and erase: git waits for them, but does not use their result. */
const noticeTimeout = 10_000;

async function answerGit(operation: Operation, needs: AnswerNeeds): Promise<ExitCode> {
  const { io, signal } = needs;
  const log = createLog(io);
  try {
    const asked = await unlessAborted(readCredential(io.stdin), signal);
    log(`git's ${operation}`, asked);
    const answer = await askTab(operation, asked, needs);
    if (operation !== "get") return 0;
    const text = readReply(answer);
    log("the tab answered with a credential");
    io.stdout.write(text);
    return 0;
  } catch (error) {
    if (signal.aborted) return 130;
    log(`${operation} failed: ${PagewireError.isInstance(error) ? error.code : "internal-error"}`);
    // Git runs all three operations in a row; one message is enough.
    if (operation !== "get") return 1;
    io.stderr.write(`pagewire: ${plainText(whyNot(error))}\n`);
    if (!isFinal(error)) return 1;
    io.stdout.write(formatCredential({ quit: "1" }));
    return 0;
  }
}

async function askTab(operation: Operation, asked: Attributes, { openDelegate, describe, signal }: AnswerNeeds) {
  const delegate = await openDelegate();
  const { host = "" } = asked;
  // Git's attributes must not replace the helper's own.
  const { action: _action, browser_id: _id, command: _command, repository: _repository, ...rest } = asked;
  const circumstances = operation === "get" ? await describe(String(host)) : {};
  const input = { ...rest, ...circumstances, operation };
  return delegate.call("git_credential", input, {
    signal,
    timeout: operation === "get" ? defaultLimits.callTimeMost : noticeTimeout,
  });
}

/** A decision, or a fault that should keep git from asking another helper for a password. */
function isFinal(error: unknown): boolean {
  return PagewireError.isInstance(error) && (error.code === "action-refused" || error.code === "output-invalid");
}

function whyNot(error: unknown): string {
  const message = messageOf(error);
  if (!PagewireError.isInstance(error)) return `Something failed that should not have: ${message}`;
  if (error.code === "action-refused" && message === "cancelled") return "The sign-in was cancelled in the browser.";
  if (error.code === "tool-not-found") {
    return "The page that shows this terminal does not answer git: it offers no action git_credential.";
  }
  return message;
}

/** Logs to stderr if PAGEWIRE_DEBUG is set; secrets are masked. */
function createLog({ environment, stderr }: AnswerNeeds["io"]) {
  return (what: string, attributes: Attributes = {}) => {
    if (!environment["PAGEWIRE_DEBUG"]) return;
    const words = Object.entries(maskAttributes(attributes)).flatMap(([name, value]) =>
      [value].flat().map((each) => ` ${name}=${each}`),
    );
    stderr.write(`pagewire: ${plainText(what + words.join(""))}\n`);
  };
}

export const gitCredential = defineCommand({
  name: "git-credential",
  summary: "Let git ask for passwords in the tab of this terminal.",
  usage: "get|store|erase|setup",
  positionals: { min: 1, max: 1 },
  options: setupOptions,
  notes: [
    "A credential helper of git's: git itself writes and reads the rest. With setup it is written into git's config.",
    "git's get opens a dialog in the tab that shows this terminal. The answer goes to git. If the user chooses so, the tab keeps it in memory; it is stored nowhere else. Cancelling stops git. Where no tab can be asked, git goes on to its next helper, or asks on the terminal. PAGEWIRE_DEBUG=1 shows what is said, with passwords masked.",
    "--use-http-path is for hosts where you have several accounts, by repository. Accounts that differ by name need none of it: write https://ada@git.example.com/…",
  ],
  examples: [
    "pagewire git-credential setup",
    "pagewire git-credential setup --host https://git.example.com --use-http-path",
    "pagewire git-credential setup --local --print",
    `printf "protocol=https\\nhost=git.example.com\\n\\n" | pagewire git-credential get`,
  ],
  async run(context) {
    const [operation = ""] = context.positionals;
    if (operation === "setup") return setUp(context);
    const stray = Object.entries(context.values).find(([, value]) => value !== false && value !== undefined);
    if (stray) throw usageError(`--${stray[0]} is for: npx pagewire git-credential setup`);
    // Git expects helpers to ignore operations that they do not know.
    return isOperation(operation) ? answer(operation, context) : 0;
  },
});

async function answer(operation: Operation, { io }: CommandContext): Promise<ExitCode> {
  const interrupts = createInterrupts(io);
  const asker = findAsker(process.ppid, {
    find: findProcess(io.platform),
    argumentsOf: (id) => argumentsOfProcess(id, io.platform),
  });
  const watch = watchProcesses(asker.ids);
  try {
    return await answerGit(operation, {
      io,
      openDelegate: () => openDelegate(io),
      describe: async (host) => {
        const repository = await findRepository(createRunGit(io), host);
        return { command: asker.command, ...(repository === undefined ? {} : { repository }) };
      },
      signal: AbortSignal.any([interrupts.signal, watch.signal]),
    });
  } finally {
    watch.stop();
    interrupts.stop();
  }
}
