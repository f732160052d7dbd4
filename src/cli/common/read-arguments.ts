import type { Readable } from "node:stream";
import { defaultLimits, parseJson, isJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { usageError } from "./command.ts";
import { oneLine } from "./plain-text.ts";

/** The arguments of a tool, from the command line or, for `-`, from the input. */
export async function readArguments(given: string | undefined, stdin: Readable): Promise<JsonObject> {
  if (given === undefined) return {};
  const text = given === "-" ? await readAll(stdin) : given;
  const value = text.trim() === "" ? {} : parseJson(text, defaultLimits.jsonDepth);
  if (isJsonObject(value)) return value;
  const problem = value === undefined ? "not JSON" : "not a JSON object";
  const shown = given === "-" ? "What came in" : oneLine(given, 60);
  throw usageError(`${shown} is ${problem}. Write the tool's arguments like this: '{"days": 7}'`);
}

/** Everything that comes in, as text. */
export async function readAll(stdin: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stdin as AsyncIterable<Buffer | string>) {
    const chunk = Buffer.from(part);
    bytes += chunk.length;
    if (bytes > defaultLimits.frameBytes) throw usageError("What came in is larger than a call may be.");
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString("utf8");
}
