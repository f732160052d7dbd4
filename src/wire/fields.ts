// What the header of a frame may hold, and the fields that tables of frames have in common. The marks let a bundler leave
// out what a page's tables do not use; they count in this file only, so the common fields are here.
import { isJsonObject } from "./json.ts";
import type { JsonObject } from "./json.ts";
import { outcomeNames } from "./outcomes.ts";
import { askMethods, logLevels } from "./words.ts";

/** What one field of a header may hold; one that accepts undefined may be missing. */
export type Field<Value> = (value: unknown) => value is Value;

/** The fields of one type of frame. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

type ValueOf<F> = F extends Field<infer Value> ? Value : never;
type RequiredNames<Shape extends Fields> = {
  [Name in keyof Shape]: undefined extends ValueOf<Shape[Name]> ? never : Name;
}[keyof Shape];

/** The TypeScript type that a set of fields describes. A field that is undefined does not travel: JSON leaves it out. */
export type Fielded<Shape extends Fields> = {
  readonly [Name in RequiredNames<Shape>]: ValueOf<Shape[Name]>;
} & {
  readonly [Name in Exclude<keyof Shape, RequiredNames<Shape>>]?: ValueOf<Shape[Name]>;
};

/**
 * A field that may be missing.
 * @__NO_SIDE_EFFECTS__
 */
export function optional<Value>(accepts: Field<Value>): Field<Value | undefined> {
  return (value): value is Value | undefined => value === undefined || accepts(value);
}

/**
 * A string of at most `most` characters.
 * @__NO_SIDE_EFFECTS__
 */
export function text(most: number): Field<string> {
  return (value): value is string => typeof value === "string" && value.length <= most;
}

/** What an identifier looks like: 1 to 128 printable characters without spaces. */
export const identifierPattern = /^[\x21-\x7e]{1,128}$/;

/** An identifier. */
export const identifier: Field<string> = (value): value is string =>
  typeof value === "string" && identifierPattern.test(value);

/** A finite number. */
export const number: Field<number> = (value): value is number => Number.isFinite(value);

/** A time in milliseconds, zero or more. */
export const duration: Field<number> = (value): value is number => number(value) && value >= 0;

/**
 * An integer from `least` to `most`.
 * @__NO_SIDE_EFFECTS__
 */
export function whole(least: number, most: number): Field<number> {
  return (value): value is number => Number.isSafeInteger(value) && number(value) && value >= least && value <= most;
}

/** Whatever there is: its reader passes over what it cannot read. */
export const anything: Field<unknown> = (_value): _value is unknown => true;

export const flag: Field<boolean> = (value): value is boolean => typeof value === "boolean";

/**
 * One of a closed list of words.
 * @__NO_SIDE_EFFECTS__
 */
export function oneOf<const Word extends string>(words: readonly Word[]): Field<Word> {
  return (value): value is Word => words.includes(value as Word);
}

/**
 * At most `most` values of one kind.
 * @__NO_SIDE_EFFECTS__
 */
export function list<Value>(accepts: Field<Value>, most: number): Field<readonly Value[]> {
  return (value): value is readonly Value[] => Array.isArray(value) && value.length <= most && value.every(accepts);
}

/**
 * An object with fields of its own.
 * @__NO_SIDE_EFFECTS__
 */
export function group<Shape extends Fields>(shape: Shape): Field<Fielded<Shape>> {
  return (value): value is Fielded<Shape> => isJsonObject(value) && wrongField(shape, value) === undefined;
}

/** The name of the first field that is missing or has the wrong form, or undefined when all is well. */
export function wrongField(shape: Fields, value: JsonObject): string | undefined {
  for (const name in shape) if (!shape[name]?.(value[name])) return name;
  return undefined;
}

export const name = text(128);
/** The name of a tool or prompt, or the address of a resource. */
export const target = text(2048);
export const sentence = text(4096);
export const cause = text(64);
export const heartbeat = {};
/** The hub is stopping: connect again, at a random time within so many milliseconds. */
export const goaway = { within: duration };
export const refused = { code: cause, message: sentence, command: optional(sentence) };

export const token = optional(text(8192));
export const versions = list(number, 16);

/** How many epochs of its memory a page names. */
export const epochsMost = 16;

/** The epochs whose calls are all in a page's memory; the last is the one that new calls come into. */
export const epochs = list(identifier, epochsMost);

/** Where a call is in its caller's trace. */
export const trace = optional(group({ traceparent: name, tracestate: optional(target) }));
/** As many as there are. Bundlers keep every value that reads a property or computes. */
export const asks = optional(list(oneOf(askMethods), 3));
export const agent = group({ name, version: optional(name) });
/** An answer to a question; the payload, unless a code says why there is none. */
export const answer = { id: identifier, ask: identifier, code: optional(cause), message: optional(sentence) };

export const progress = { id: identifier, progress: number, total: optional(number), message: optional(sentence) };
/** Payload: what was logged. */
export const log = { id: identifier, level: oneOf(logLevels), logger: optional(name) };
/** A question to the caller's user or model; payload: its parameters. */
export const ask = { id: identifier, ask: identifier, method: oneOf(askMethods) };
/** Payload: an MCP result, as the handler's page wrote it. */
export const result = { id: identifier, isError: optional(flag) };
/** The call ended without a result. */
export const failure = {
  id: identifier,
  outcome: oneOf(outcomeNames),
  ran: oneOf(["yes", "no", "maybe"]),
  code: cause,
  message: sentence,
  retryAfter: optional(duration),
};

export const columns = whole(1, 1000);
export const rows = whole(1, 1000);

/** How much of a stream came before, counted in UTF-16 units, as JavaScript counts a string. */
export const offset = whole(0, 9_007_199_254_740_991);

/** The terminals of a principal that can be shown, the oldest first; `createdAt` in milliseconds since 1970. */
export const terminals = list(group({ id: identifier, name, createdAt: duration }), 1024);
