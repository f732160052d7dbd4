// One question of git's, brought to the tab. Where nobody can be asked git goes on to its next helper; where somebody was
// asked and said no, it stops.
import type { Delegate } from "../../hub-client/index.ts";
import { PagewireError, defaultLimits, messageOf } from "../../wire/index.ts";
import { unlessAborted } from "../console/interrupts.ts";
import { plainText } from "../console/plain-text.ts";
import type { ExitCode } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import type { Attributes } from "./credential-text.ts";
import { formatCredential } from "./credential-text.ts";
import { maskAttributes } from "./mask-secrets.ts";
import { readCredential } from "./read-credential.ts";
import { readReply } from "./read-reply.ts";

export type Operation = "get" | "store" | "erase";

export function isOperation(word: string): word is Operation {
  return word === "get" || word === "store" || word === "erase";
}

/** What is known of who asks, for the person who is asked. */
export interface Circumstances {
  readonly command?: string;
  readonly repository?: string;
}

export interface AnswerNeeds {
  readonly io: Pick<Io, "stdin" | "stdout" | "stderr" | "environment">;
  openDelegate(): Promise<Pick<Delegate, "call">>;
  /** Who asks, and where. */
  describe(host: string): Promise<Circumstances>;
  /** Whoever asked is gone, or does not want to know any more. */
  readonly signal: AbortSignal;
}

/** Nobody waits for these two, and git waits for them. */
const NOTICE_TIME = 10_000;

export async function answerGit(operation: Operation, needs: AnswerNeeds): Promise<ExitCode> {
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
    // Git says all three, one after the other; once is enough to hear why it does not work.
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
  // What git says is not to be taken for what the helper says.
  const { action: _action, browser_id: _id, command: _command, repository: _repository, ...rest } = asked;
  const circumstances = operation === "get" ? await describe(String(host)) : {};
  const input = { ...rest, ...circumstances, operation };
  return delegate.call("git_credential", input, {
    signal,
    timeout: operation === "get" ? defaultLimits.callTimeMost : NOTICE_TIME,
  });
}

/** Somebody decided, or something is wrong enough that no other place should be asked for a password now. */
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

/** Says what goes on to whoever set PAGEWIRE_DEBUG; secrets are masked. */
function createLog({ environment, stderr }: AnswerNeeds["io"]) {
  return (what: string, attributes: Attributes = {}) => {
    if (!environment["PAGEWIRE_DEBUG"]) return;
    const words = Object.entries(maskAttributes(attributes)).flatMap(([name, value]) =>
      [value].flat().map((each) => ` ${name}=${each}`),
    );
    stderr.write(`pagewire: ${plainText(what + words.join(""))}\n`);
  };
}
