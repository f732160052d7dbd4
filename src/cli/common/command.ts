import { PagewireError } from "../../wire/index.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import type { Printer } from "./printer.ts";

export interface OptionSpec {
  readonly type: "string" | "boolean";
  readonly multiple?: true;
  /** The placeholder for its value in the help, such as URL. */
  readonly value?: string;
  readonly summary: string;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

export type OptionValues<Specs extends OptionSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name] extends { readonly type: "boolean" }
    ? boolean
    : Specs[Name] extends { readonly multiple: true }
      ? readonly string[]
      : string | undefined;
};

export interface CommandContext<Specs extends OptionSpecs = OptionSpecs> {
  readonly io: Io;
  readonly printer: Printer;
  readonly values: OptionValues<Specs>;
  readonly positionals: readonly string[];
}

export interface Command<Specs extends OptionSpecs = OptionSpecs> {
  readonly name: string;
  readonly summary: string;
  /** The help's text after the name: `<tool> [json|-]`. */
  readonly usage: string;
  /** Number of positional arguments. */
  readonly positionals: {
    readonly min: number;
    readonly max: number;
    /** Whether they are ids, which may begin with a dash: -x7 is an id unless it is an option. */
    readonly areIds?: true;
  };
  readonly options: Specs;
  /** More paragraphs for its help. */
  readonly notes?: readonly string[];
  readonly examples: readonly string[];
  run(context: CommandContext<Specs>): Promise<ExitCode>;
}

/** Declares a command; its options give the types of their values. */
export function defineCommand<const Specs extends OptionSpecs>(command: Command<Specs>): Command {
  return command as unknown as Command;
}

/** Options that every command has. */
export const commonOptions = {
  json: { type: "boolean", summary: "Write for programs: JSON on stdout." },
  jq: {
    type: "string",
    value: "FILTER",
    summary: "Write what this jq filter makes of that JSON, such as .[].name.",
  },
} as const satisfies OptionSpecs;

/** The options that name a hub. */
export const namingOptions = {
  hub: { type: "string", value: "URL", summary: "The hub's address; else PAGEWIRE_URL, else the one that runs here." },
  context: { type: "string", value: "NAME", summary: "A hub that you signed in to; else PAGEWIRE_CONTEXT." },
} as const satisfies OptionSpecs;

/** Options of the commands that speak to a hub. */
export const hubOptions = {
  ...namingOptions,
  ...commonOptions,
} as const satisfies OptionSpecs;

/** The command was not written as it should be. */
export function usageError(message: string): PagewireError {
  return new PagewireError("options-invalid", message);
}

export function numberOption(
  name: string,
  text: string | undefined,
  { min, max, isWhole = false }: { readonly min: number; readonly max: number; readonly isWhole?: boolean },
): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
  const kind = isWhole ? "a whole number" : "a number";
  throw usageError(`--${name} must be ${kind} from ${min} to ${max}, not "${text}".`);
}

/** Units of time, in milliseconds. */
export const unitTime: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A time ago, or a point in time, that an option was given, in milliseconds since 1970. */
export function timeOption(name: string, text: string, now: Date): number {
  const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const at = count === undefined ? pointOf(text) : now.getTime() - Number(count) * (unitTime[unit] ?? 0);
  if (!Number.isNaN(at)) return at;
  throw usageError(
    `--${name} must be a time ago, such as 1h or 7d, or a time such as 2026-01-31T12:00Z, not "${text}".`,
  );
}

function pointOf(text: string): number {
  return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
}
