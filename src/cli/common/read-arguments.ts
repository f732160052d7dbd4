import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { defaultLimits, messageOf, parseJson, isJsonObject } from "../../wire/index.ts";
import type { JsonObject, Json } from "../../wire/index.ts";
import { usageError } from "./command.ts";
import { oneLine } from "./plain-text.ts";

/** How arguments are written, for the help of a command. */
export const argumentsUsage = "[json|-|name=value…]";

/**
 * The arguments of a tool: a JSON object, `-` for one on stdin, or pairs: `text="Ship tea"` is a text, `days:=7` is JSON.
 */
export async function readArguments(given: readonly string[], stdin: Readable): Promise<JsonObject> {
  const [first] = given;
  if (first === undefined) return {};
  if (given.length === 1 && first === "-") return parseObject(await readAll(stdin), "The input");
  const pairs = given.map((each) => pairForm.exec(each));
  const stray = given[pairs.indexOf(null)];
  if (stray === undefined) return readPairs(pairs as readonly RegExpExecArray[]);
  if (given.length === 1) return parseObject(first, oneLine(first, 60));
  throw usageError(`${oneLine(stray, 60)} is not of the form name=value or name:=json. ${forms}`);
}

const forms = `Write the tool's arguments like this: '{"days": 7}', or like this: days:=7 title="All sales"`;

/** A name, how its value is written, and the value. */
const pairForm = /^([^\s"'{}[\]=:]+)(:?=)([^]*)$/;

function readPairs(pairs: readonly RegExpExecArray[]): JsonObject {
  const values = new Map<string, Json>();
  for (const [pair, name = "", sign, text = ""] of pairs) {
    if (values.has(name)) throw usageError(`The argument ${name} is given twice.`);
    const value = sign === "=" ? text : parseJson(text, defaultLimits.jsonDepth);
    if (value === undefined)
      throw usageError(`The value in ${oneLine(pair, 60)} is not JSON. For a text, write: ${name}="…"`);
    values.set(name, value);
  }
  return Object.fromEntries(values);
}

function parseObject(text: string, shown: string): JsonObject {
  const value = text.trim() === "" ? {} : parseJson(text, defaultLimits.jsonDepth);
  if (isJsonObject(value)) return value;
  throw usageError(`${shown} is ${value === undefined ? "not JSON" : "not a JSON object"}. ${forms}`);
}

/** Everything that comes in, as text. */
export async function readAll(stdin: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stdin as AsyncIterable<Buffer | string>) {
    const chunk = Buffer.from(part);
    bytes += chunk.length;
    if (bytes > defaultLimits.frameBytes) throw usageError("The input is larger than a call may be.");
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString("utf8");
}

export function textOfFile(file: string): string {
  try {
    return readFileSync(resolve(file), "utf8");
  } catch (error) {
    throw usageError(`The file ${file} cannot be read: ${messageOf(error)}.`);
  }
}

/** The text of a file, or with - of stdin. */
export async function textOfInput(file: string, stdin: Readable): Promise<string> {
  return file === "-" ? readAll(stdin) : textOfFile(file);
}
