// States with messages for users.
import type { PagewireError } from "../../wire/index.ts";
import type { TerminalState } from "./terminal-view.ts";

/** Why the user has to enter a code. */
export function signedOutState({ code, message }: PagewireError): TerminalState {
  return {
    status: "signed-out",
    code,
    message: code === "token-required" ? "A code is needed to open a terminal." : message,
  };
}

/** Why the hub refuses a terminal. */
export function refusedState({ code, message }: PagewireError, origin: string): TerminalState {
  if (code === "origin-not-allowed") {
    const text = `Pages of ${origin} may not use this hub. If you know this one, allow it once:`;
    return { status: "refused", code, message: text, command: `npx pagewire allow ${origin}` };
  }
  const status = code === "terminal-unavailable" ? "unavailable" : "refused";
  // A command at the end of a message is shown separately, to be copied.
  const [, text = message, command] = /^([^]*:) ?((?:npx|npm) [^]+?)\.?$/.exec(message) ?? [];
  return { status, code, message: text, ...(command === undefined ? {} : { command }) };
}

export interface Lost {
  readonly hub: string;
  readonly milliseconds: number;
  /** The hub's error, or why it is unreachable. */
  readonly problem: PagewireError | undefined;
  readonly retryAt: number;
}

export function reconnectingState({ hub, milliseconds, problem, retryAt }: Lost): TerminalState {
  const what = whatIsWrong(problem, hub);
  const seconds = Math.ceil(milliseconds / 1000);
  return { status: "reconnecting", message: `${what} Trying again in ${seconds} s.`, retryAt };
}

/** How a shell ended. */
export interface Exit {
  readonly code?: number | undefined;
  readonly signal?: string | undefined;
}

export function exitedState({ code, signal }: Exit): TerminalState {
  return {
    status: "ended",
    message: `The shell ${signal === undefined ? codeText(code) : `was ended by ${signal}`}.`,
    ...(code === undefined ? {} : { exitCode: code }),
    ...(signal === undefined ? {} : { signal }),
  };
}

function codeText(code: number | undefined): string {
  return code === undefined ? "has ended" : `has ended with exit code ${code}`;
}

function whatIsWrong(problem: PagewireError | undefined, hub: string): string {
  if (problem === undefined) return "The connection to the hub was lost.";
  return problem.code === "hub-unreachable" ? `No hub answers at ${hub}.` : problem.message;
}
