/** One field of a header: what it may hold, and whether it may be missing. */
export interface Field<Value, Optional extends boolean = boolean> {
  readonly optional: Optional;
  readonly accepts: (value: unknown) => value is Value;
}

/** The fields of one type of frame. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

type ValueOf<F> = F extends Field<infer Value> ? Value : never;
type RequiredNames<Shape extends Fields> = {
  [Name in keyof Shape]: Shape[Name]["optional"] extends true ? never : Name;
}[keyof Shape];

/** The TypeScript type that a set of fields describes. A field that is undefined does not travel: JSON leaves it out. */
export type Fielded<Shape extends Fields> = {
  readonly [Name in RequiredNames<Shape>]: ValueOf<Shape[Name]>;
} & {
  readonly [Name in Exclude<keyof Shape, RequiredNames<Shape>>]?: ValueOf<Shape[Name]> | undefined;
};

function field<Value>(accepts: (value: unknown) => value is Value): Field<Value, false> {
  return { optional: false, accepts };
}

/** A field that may be missing. */
export function optional<Value>(inner: Field<Value>): Field<Value, true> {
  return { optional: true, accepts: inner.accepts };
}

/** A string of at most `most` characters. */
export function text(most: number): Field<string, false> {
  return field((value): value is string => typeof value === "string" && value.length <= most);
}

/** What an identifier looks like: 1 to 128 printable characters without spaces. */
export const identifierPattern = /^[\x21-\x7e]{1,128}$/;

/** An identifier. */
export const identifier: Field<string, false> = field(
  (value): value is string => typeof value === "string" && identifierPattern.test(value),
);

/** A finite number. */
export const number: Field<number, false> = field((value): value is number => Number.isFinite(value));

/** A time in milliseconds, zero or more. */
export const duration: Field<number, false> = field(
  (value): value is number => typeof value === "number" && value >= 0 && value < Infinity,
);

export const flag: Field<boolean, false> = field((value): value is boolean => typeof value === "boolean");

/** One of a closed list of words. */
export function oneOf<const Word extends string>(words: readonly Word[]): Field<Word, false> {
  return field((value): value is Word => (words as readonly unknown[]).includes(value));
}

/** At most `most` values of one kind. */
export function list<Value>(inner: Field<Value>, most: number): Field<readonly Value[], false> {
  return field(
    (value): value is readonly Value[] => Array.isArray(value) && value.length <= most && value.every(inner.accepts),
  );
}

/** An object with fields of its own. */
export function group<Shape extends Fields>(shape: Shape): Field<Fielded<Shape>, false> {
  return field((value): value is Fielded<Shape> => wrongField(shape, value) === undefined);
}

/** The name of the first field that is missing or has the wrong form, or undefined when all is well. */
export function wrongField(shape: Fields, value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return "";
  for (const name in shape) {
    const { optional, accepts } = shape[name] as Field<unknown>;
    const given = (value as Record<string, unknown>)[name];
    if (given === undefined ? !optional : !accepts(given)) return name;
  }
  return undefined;
}
