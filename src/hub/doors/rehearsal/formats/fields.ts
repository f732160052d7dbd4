// The fields of one object of a request: read as what they must be, or refused by name.
import { isJsonObject } from "../../../../wire/index.ts";
import type { Json, JsonObject } from "../../../../wire/index.ts";
import { Refusal } from "./refusal.ts";

export interface FieldStyle {
  /** How a place in a list is written: `messages[0]` or `messages.0`. */
  readonly index: "[]" | ".";
  /** Whether `systemInstruction` may be written `system_instruction`. */
  readonly snake?: boolean;
}

export interface Range {
  readonly least?: number;
  readonly most?: number;
  readonly whole?: boolean;
}

export class Fields {
  readonly object: JsonObject;
  readonly path: string;
  readonly #style: FieldStyle;

  constructor(object: JsonObject, path: string, style: FieldStyle) {
    this.object = object;
    this.path = path;
    this.#style = style;
  }

  /** Refuses every other field. */
  only(names: string): this {
    const known = new Set(names.split(" ").flatMap((name) => [name, ...(this.#style.snake ? [snakeOf(name)] : [])]));
    for (const name of Object.keys(this.object))
      if (!known.has(name)) throw new Refusal("unknown", `${name} is not known here.`, { path: this.at(name) });
    return this;
  }

  at(name: string): string {
    return this.path === "" ? name : `${this.path}.${name}`;
  }

  /** A field; null is as good as none. */
  get(name: string): Json | undefined {
    const own = Object.hasOwn(this.object, name) ? this.object[name] : undefined;
    if (own !== undefined || !this.#style.snake) return own ?? undefined;
    const snake = snakeOf(name);
    return (Object.hasOwn(this.object, snake) ? this.object[snake] : undefined) ?? undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  maybeText(name: string): string | undefined {
    const value = this.get(name);
    if (value === undefined || typeof value === "string") return value;
    throw this.#wrongType(name, "a string");
  }

  text(name: string): string {
    return this.maybeText(name) ?? this.#missing(name);
  }

  flag(name: string): boolean {
    const value = this.get(name);
    if (value === undefined || typeof value === "boolean") return value ?? false;
    throw this.#wrongType(name, "a boolean");
  }

  number(name: string, { least, most, whole }: Range = {}): number | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (typeof value !== "number" || (whole && !Number.isInteger(value)))
      throw this.#wrongType(name, whole ? "an integer" : "a number");
    if (least !== undefined && value < least)
      throw this.wrong(name, `must be greater than or equal to ${least}, not ${value}`);
    if (most !== undefined && value > most)
      throw this.wrong(name, `must be less than or equal to ${most}, not ${value}`);
    return value;
  }

  maybeObject(name: string): Fields | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (!isJsonObject(value)) throw this.#wrongType(name, "an object");
    return new Fields(value as JsonObject, this.at(name), this.#style);
  }

  child(name: string): Fields {
    return this.maybeObject(name) ?? this.#missing(name);
  }

  maybeList(name: string): readonly Json[] | undefined {
    const value = this.get(name);
    if (value === undefined || Array.isArray(value)) return value as readonly Json[] | undefined;
    throw this.#wrongType(name, "an array");
  }

  /** The objects of a list. */
  items(name: string): readonly Fields[] {
    return (this.maybeList(name) ?? []).map((item, index) => {
      const path = this.#style.index === "." ? `${this.at(name)}.${index}` : `${this.at(name)}[${index}]`;
      if (isJsonObject(item)) return new Fields(item as JsonObject, path, this.#style);
      throw new Refusal("type", "an object", { path });
    });
  }

  texts(name: string): readonly string[] {
    return (this.maybeList(name) ?? []).map((item) => {
      if (typeof item === "string") return item;
      throw this.#wrongType(name, "an array of strings");
    });
  }

  /** One of a few words. */
  word<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.maybeText(name);
    const found = words.find((word) => word === value);
    if (value === undefined || found !== undefined) return found;
    throw this.wrong(
      name,
      `must be one of ${words.map((word) => `'${word}'`).join(", ")}, not '${value.slice(0, 64)}'`,
    );
  }

  /** One of a few words, which must be there. */
  mustBe<Word extends string>(name: string, words: readonly Word[]): Word {
    return this.word(name, words) ?? this.#missing(name);
  }

  /** A refusal of what a field holds. */
  wrong(name: string, problem: string): Refusal {
    return new Refusal("value", `${this.at(name)} ${problem}.`, { path: this.at(name) });
  }

  #wrongType(name: string, expected: string): Refusal {
    return new Refusal("type", expected, { path: this.at(name) });
  }

  #missing(name: string): never {
    throw new Refusal("missing", `${this.at(name)} is missing.`, { path: this.at(name) });
  }
}

function snakeOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
