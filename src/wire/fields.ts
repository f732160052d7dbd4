import { isJsonObject } from "./json.ts";
import type { JsonObject } from "./json.ts";

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

/** A field that may be missing. */
export function optional<Value>(accepts: Field<Value>): Field<Value | undefined> {
  return (value): value is Value | undefined => value === undefined || accepts(value);
}

/** A string of at most `most` characters. */
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

/** An integer from `least` to `most`. */
export function whole(least: number, most: number): Field<number> {
  return (value): value is number => Number.isSafeInteger(value) && number(value) && value >= least && value <= most;
}

export const flag: Field<boolean> = (value): value is boolean => typeof value === "boolean";

/** One of a closed list of words. */
export function oneOf<const Word extends string>(words: readonly Word[]): Field<Word> {
  return (value): value is Word => words.includes(value as Word);
}

/** At most `most` values of one kind. */
export function list<Value>(accepts: Field<Value>, most: number): Field<readonly Value[]> {
  return (value): value is readonly Value[] => Array.isArray(value) && value.length <= most && value.every(accepts);
}

/** An object with fields of its own. */
export function group<Shape extends Fields>(shape: Shape): Field<Fielded<Shape>> {
  return (value): value is Fielded<Shape> => isJsonObject(value) && wrongField(shape, value) === undefined;
}

/** The name of the first field that is missing or has the wrong form, or undefined when all is well. */
export function wrongField(shape: Fields, value: JsonObject): string | undefined {
  for (const name in shape) if (!shape[name]?.(value[name])) return name;
  return undefined;
}
