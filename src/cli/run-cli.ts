// The command line, from its words to an exit code. Every error ends here, as a sentence and a code.
import { version } from "../hub/common/version.ts";
import { PagewireError, messageOf } from "../wire/index.ts";
import { usageError } from "./common/command.ts";
import type { CommandContext, Command, OptionSpec, OptionSpecs } from "./common/command.ts";
import { exitCodeOfError } from "./common/exit-codes.ts";
import type { ExitCode } from "./common/exit-codes.ts";
import { findCommand, commandTable } from "./command-table.ts";
import { commandHelp, generalHelp } from "./help.ts";
import type { Io } from "./common/io.ts";
import { filterJson } from "./common/jq-filter.ts";
import { jsonText, plainText } from "./common/plain-text.ts";
import { createPrinter } from "./common/printer.ts";
import type { Printer } from "./common/printer.ts";
import { parseArgs } from "node:util";
import { nearest } from "./common/nearest.ts";

/** Runs one command line. Resolves with the exit code, and never rejects. */
export async function runCli(args: readonly string[], io: Io): Promise<ExitCode> {
  const printer = createPrinter(io, args.some(asksForJson));
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
  const { jq } = values;
  const filter = typeof jq === "string" ? await filterJson(printer, jq) : undefined;
  const context = { io, printer: filter?.printer ?? printer, values, positionals } as unknown as CommandContext;
  const exitCode = await command.run(context);
  filter?.check();
  return exitCode;
}

function asksForJson(word: string): boolean {
  return word === "--json" || word === "--jq" || word.startsWith("--jq=");
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

/** A command's line, understood. */
interface ParsedArguments {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
  readonly help: boolean;
}

/** Parses the arguments after a command's name; throws with a hint on correct usage. */
export function parseArguments(
  { name, usage, options, positionals: range }: Command,
  args: readonly string[],
): ParsedArguments {
  const known = { ...options, help: { type: "boolean", summary: "" } } as const satisfies OptionSpecs;
  const joined = (range.areIds === true ? markIds : joinDashes)(args, known);
  checkNames(name, joined, known);
  const { values, positionals } = parse(name, joined, known);
  const { help = false, ...given } = values;
  if (help === true) return { values: given, positionals, help };
  const { min, max } = range;
  if (positionals.length < min) throw usageError(`"pagewire ${name}" needs ${usage}. See: npx pagewire help ${name}`);
  const surplus = positionals[max];
  if (surplus !== undefined) throw usageError(whySurplus(name, surplus));
  return { values: withDefaults(options, given), positionals, help: false };
}

function whySurplus(name: string, word: string): string {
  const next = Object.hasOwn(commandTable, word)
    ? `The command comes first: npx pagewire ${word}`
    : `See: npx pagewire help ${name}`;
  return `"pagewire ${name}" does not know what to do with "${word}". ${next}`;
}

function parse(name: string, args: readonly string[], options: OptionSpecs) {
  const specs = Object.fromEntries(
    Object.entries(options).map(([option, { type, multiple = false }]) => [
      option,
      { type, multiple, ...(option === "help" ? { short: "h" } : {}) },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options: specs, allowPositionals: true, strict: true });
  } catch (error) {
    throw usageError(`${messageOf(error).split("\n")[0] ?? ""} See: npx pagewire help ${name}`);
  }
}

/** Ids and keys may begin with a dash: `--tab -x7` has the value -x7 if that is not an option. */
function joinDashes(args: readonly string[], options: OptionSpecs): readonly string[] {
  const joined: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const next = args[at + 1];
    if (arg === "--") return [...joined, ...args.slice(at)];
    const takesValue = arg.startsWith("--") && specOf(options, arg.slice(2))?.type === "string";
    if (takesValue && next !== undefined && /^-./.test(next) && !isOption(next, options)) {
      joined.push(`${arg}=${next}`);
      at++;
    } else {
      joined.push(arg);
    }
  }
  return joined;
}

/** An argument that begins with one dash and is not an option is an id. */
function markIds(args: readonly string[], options: OptionSpecs): readonly string[] {
  const joined = joinDashes(args, options);
  const isId = (arg: string) => /^-./.test(arg) && !isOption(arg, options);
  if (joined.includes("--") || !joined.some(isId)) return joined;
  return [...joined.filter((arg) => !isId(arg)), "--", ...joined.filter(isId)];
}

function isOption(arg: string, options: OptionSpecs): boolean {
  return arg.startsWith("--") || arg === "-h" || specOf(options, arg) !== undefined;
}

function checkNames(command: string, args: readonly string[], options: OptionSpecs): void {
  for (const arg of args) {
    if (arg === "--") return;
    const [, option] = /^--([^=]+)/.exec(arg) ?? [];
    if (option === undefined || specOf(options, option) !== undefined) continue;
    const meant = nearest(option, Object.keys(options));
    const next = meant === undefined ? `See: npx pagewire help ${command}` : `Did you mean --${meant}?`;
    throw usageError(`"pagewire ${command}" has no option --${option}. ${next}`);
  }
}

function specOf(options: OptionSpecs, name: string): OptionSpec | undefined {
  return Object.hasOwn(options, name) ? options[name] : undefined;
}

function withDefaults(
  options: OptionSpecs,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const defaults = Object.entries(options).map(([name, { type, multiple }]) => {
    return [name, type === "boolean" ? false : multiple ? [] : undefined] as const;
  });
  return { ...Object.fromEntries(defaults), ...given };
}
