// The command line, from its words to an exit code. Every error ends here, as a sentence and a code.
import { version } from "../hub/common/version.ts";
import { PagewireError, messageOf } from "../wire/index.ts";
import type { CommandContext } from "./common/command.ts";
import { exitCodeOfError } from "./common/exit-codes.ts";
import type { ExitCode } from "./common/exit-codes.ts";
import { findCommand } from "./command-table.ts";
import { commandHelp, generalHelp } from "./help.ts";
import type { Io } from "./common/io.ts";
import { parseArguments } from "./parse-arguments.ts";
import { jsonText, plainText } from "./common/plain-text.ts";
import { createPrinter } from "./common/printer.ts";
import type { Printer } from "./common/printer.ts";

/** Runs one command line. Resolves with the exit code, and never rejects. */
export async function runCli(args: readonly string[], io: Io): Promise<ExitCode> {
  const printer = createPrinter(io, args.includes("--json"));
  try {
    return await run(args, io, printer);
  } catch (error) {
    reportError(error, io, printer);
    return exitCodeOfError(error);
  }
}

async function run(args: readonly string[], io: Io, printer: Printer): Promise<ExitCode> {
  const [first = ""] = args;
  if (first === "--version" || first === "-v") return answer(() => printer.line(version));
  if (first === "--help" || first === "-h") return answer(() => printer.line(generalHelp(printer.out)));
  const isNamed = first !== "" && !first.startsWith("-");
  const command = await findCommand(isNamed ? first : "hub");
  const rest = isNamed ? args.slice(1) : args;
  const { values, positionals, help } = parseArguments(command, rest);
  if (help) return answer(() => printer.line(commandHelp(command, printer.out)));
  const context = { io, printer, values, positionals } as unknown as CommandContext;
  return command.run(context);
}

function answer(print: () => void): ExitCode {
  print();
  return 0;
}

function reportError(error: unknown, { environment }: Io, printer: Printer): void {
  const isNamed = PagewireError.isInstance(error);
  const code = isNamed ? error.code : "internal-error";
  const message = isNamed ? error.message : `Something failed that should not have: ${messageOf(error)}`;
  if (printer.json) printer.note(jsonText({ error: { code, message } }));
  else printer.note(`${printer.err.red("Error:")} ${plainText(message)}`);
  if (environment["PAGEWIRE_DEBUG"]) printer.note(plainText(stackOf(error)));
  else if (!isNamed && !printer.json) printer.note("Set PAGEWIRE_DEBUG=1 to see where it comes from.");
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\nCaused by: ${stackOf(error.cause)}`;
}
