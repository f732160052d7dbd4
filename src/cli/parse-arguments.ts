import { parseArgs } from "node:util";
import { messageOf } from "../wire/index.ts";
import { commandTable } from "./command-table.ts";
import { usageError } from "./common/command.ts";
import type { Command, OptionSpec, OptionSpecs } from "./common/command.ts";
import { nearest } from "./common/nearest.ts";

/** A command's line, understood. */
export interface ParsedArguments {
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
