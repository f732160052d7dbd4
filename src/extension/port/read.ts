// Turns what another context sent into known types: each reader returns a copy of what it knows, or throws.
import { isJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";

export type Read<Value> = (given: unknown) => Value;

class WrongForm extends Error {}

export function text(longest: number): Read<string> {
  return (given) => {
    if (typeof given !== "string" || given.length > longest) throw new WrongForm();
    return given;
  };
}

/** Text that is shown only: what is too long is cut. */
export function shown(longest: number): Read<string> {
  return (given) => text(Infinity)(given).slice(0, longest);
}

export const number: Read<number> = (given) => {
  if (typeof given !== "number" || !Number.isFinite(given)) throw new WrongForm();
  return given;
};

export const flag: Read<boolean> = (given) => {
  if (typeof given !== "boolean") throw new WrongForm();
  return given;
};

export function oneOf<Word>(words: readonly Word[]): Read<Word> {
  return (given) => {
    const word = words.find((each) => each === given);
    if (word === undefined) throw new WrongForm();
    return word;
  };
}

export function optional<Value>(read: Read<Value>): Read<Value | undefined> {
  return (given) => (given === undefined ? undefined : read(given));
}

/** A list; entries beyond the most are left out. */
export function list<Value>(read: Read<Value>, most: number): Read<readonly Value[]> {
  return (given) => {
    if (!Array.isArray(given)) throw new WrongForm();
    return given.slice(0, most).map(read);
  };
}

export function json(longest: number): Read<JsonObject> {
  return (given) => {
    if (!isJsonObject(given) || JSON.stringify(given).length > longest) throw new WrongForm();
    return given;
  };
}

export const texts: Read<Readonly<Record<string, string>>> = (given) => {
  if (!isJsonObject(given)) throw new WrongForm();
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, text(Infinity)(value)]));
};

type Fields<Value> = { readonly [Name in keyof Value]-?: Read<Value[Name]> };

export function fields<Value extends object>(readers: Fields<Value>): Read<Value> {
  const entries = Object.entries(readers) as [string, Read<unknown>][];
  return (given) => {
    if (!isJsonObject(given)) throw new WrongForm();
    const read = entries.map(([name, reader]) => [name, reader(Object.hasOwn(given, name) ? given[name] : undefined)]);
    return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Value;
  };
}

/** For each type of a message the readers of its other fields. */
export type Variants<Message extends { readonly type: string }> = {
  readonly [Type in Message["type"]]: Fields<Omit<Extract<Message, { readonly type: Type }>, "type">>;
};

/** One of several kinds, told apart by a field. */
export function variants<Value extends object>(
  field: string,
  kinds: Readonly<Record<string, Read<object>>>,
): Read<Value> {
  return (given) => {
    const kind = isJsonObject(given) && given[field];
    if (typeof kind !== "string" || !Object.hasOwn(kinds, kind)) throw new WrongForm();
    return { [field]: kind, ...kinds[kind]?.(given) } as unknown as Value;
  };
}

/** Undefined where the reader throws: unknown messages are ignored. */
export function tryRead<Value>(read: Read<Value>, given: unknown): Value | undefined {
  try {
    return read(given);
  } catch (error) {
    if (error instanceof WrongForm) return undefined;
    throw error;
  }
}
