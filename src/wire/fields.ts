// The types of header fields, and the fields that several tables of frames share. The marks let a bundler drop fields that a
// page's tables do not use; they only work within this file, so the shared fields are here.
import { isJsonObject } from "./json.ts";
import type { JsonObject } from "./json.ts";
import { outcomeNames } from "./outcomes.ts";
import { askMethods, logLevels } from "./words.ts";

/** The check of one field of a header; one that accepts undefined is optional. */
export type Field<Value> = (value: unknown) => value is Value;

export type Fields = Readonly<Record<string, Field<unknown>>>;

type ValueOf<F> = F extends Field<infer Value> ? Value : never;
type RequiredNames<Shape extends Fields> = {
  [Name in keyof Shape]: undefined extends ValueOf<Shape[Name]> ? never : Name;
}[keyof Shape];

/** The TypeScript type of a set of fields. Undefined fields are not sent: JSON leaves them out. */
export type Fielded<Shape extends Fields> = {
  readonly [Name in RequiredNames<Shape>]: ValueOf<Shape[Name]>;
} & {
  readonly [Name in Exclude<keyof Shape, RequiredNames<Shape>>]?: ValueOf<Shape[Name]>;
};

/**
 * An optional field.
 * @__NO_SIDE_EFFECTS__
 */
export function optional<Value>(accepts: Field<Value>): Field<Value | undefined> {
  return (value): value is Value | undefined => value === undefined || accepts(value);
}

/**
 * A string of at most `most` characters.
 * @__NO_SIDE_EFFECTS__
 */
export function text(max: number): Field<string> {
  return (value): value is string => typeof value === "string" && value.length <= max;
}

/** The form of an identifier: 1 to 128 printable characters without spaces. */
export const identifierPattern = /^[\x21-\x7e]{1,128}$/;

export const identifier: Field<string> = (value): value is string =>
  typeof value === "string" && identifierPattern.test(value);

export const number: Field<number> = (value): value is number => Number.isFinite(value);

/** A time in milliseconds, zero or more. */
export const duration: Field<number> = (value): value is number => number(value) && value >= 0;

/**
 * An integer from `min` to `max`.
 * @__NO_SIDE_EFFECTS__
 */
export function whole(min: number, max: number): Field<number> {
  return (value): value is number => Number.isSafeInteger(value) && number(value) && value >= min && value <= max;
}

/** Any value: its reader ignores what it cannot parse. */
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
 * At most `max` values of one kind.
 * @__NO_SIDE_EFFECTS__
 */
export function list<Value>(accepts: Field<Value>, max: number): Field<readonly Value[]> {
  return (value): value is readonly Value[] => Array.isArray(value) && value.length <= max && value.every(accepts);
}

/**
 * An object with fields of its own.
 * @__NO_SIDE_EFFECTS__
 */
export function group<Shape extends Fields>(shape: Shape): Field<Fielded<Shape>> {
  return (value): value is Fielded<Shape> => isJsonObject(value) && wrongField(shape, value) === undefined;
}

/** The name of the first field that is missing or invalid, or undefined. */
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
/** The hub is stopping: reconnect at a random time within this many milliseconds. */
export const goaway = { within: duration };
export const refused = { code: cause, message: sentence, command: optional(sentence) };

export const token = optional(text(8192));
export const versions = list(number, 16);

/** The max epochs of its memory that a page names. */
export const epochsMost = 16;

/** The epochs of a page's complete memory; new calls belong to the last. */
export const epochs = list(identifier, epochsMost);

/** A call's position in its caller's trace. */
export const trace = optional(group({ traceparent: name, tracestate: optional(target) }));
/** The max is the number of methods, written out: bundlers keep every value that reads a property or computes. */
export const asks = optional(list(oneOf(askMethods), 3));
export const agent = group({ name, version: optional(name) });
/** An answer to a question: the payload, or a code for why there is none. */
export const answer = { id: identifier, ask: identifier, code: optional(cause), message: optional(sentence) };

export const progress = { id: identifier, progress: number, total: optional(number), message: optional(sentence) };
/** Payload: the log entry. */
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

/** A position in a stream, in UTF-16 units, as JavaScript counts a string. */
export const offset = whole(0, 9_007_199_254_740_991);

/** The terminals of a principal that can be shown, oldest first; `createdAt` in milliseconds since 1970. */
export const terminals = list(group({ id: identifier, name, createdAt: duration }), 1024);
