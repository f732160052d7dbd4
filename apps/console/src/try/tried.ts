// The latest calls that were tried in this browser, without their results.
import { isJsonObject } from "pagewire/wire";
import type { JsonObject } from "pagewire/wire";
import type { SafeStorage } from "../../../common/src/safe-storage.ts";

export interface Tried {
  readonly app: string;
  readonly method: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly outcome: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const most = 50;
const longest = 8192;

export interface TriedCalls {
  list(): readonly Tried[];
  add(tried: Tried): void;
  clear(): void;
}

/** One user's: another one who signs in here sees none of them. */
export function createTriedCalls(storage: SafeStorage, principal: string): TriedCalls {
  const key = `pagewire.tried ${principal}`;

  function list(): readonly Tried[] {
    const { calls } = parse(storage.read(key));
    return Array.isArray(calls) ? calls.filter(isTried).slice(0, most) : [];
  }

  return {
    list,
    add(tried) {
      if (JSON.stringify(tried).length > longest) return;
      const same = (one: Tried) =>
        JSON.stringify([one.app, one.method, one.name, one.arguments]) ===
        JSON.stringify([tried.app, tried.method, tried.name, tried.arguments]);
      const calls = [tried, ...list().filter((each) => !same(each))].slice(0, most);
      storage.write(key, JSON.stringify({ calls }));
    },
    clear: () => void storage.write(key, undefined),
  };
}

function parse(text: string | undefined): JsonObject {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isTried(value: unknown): value is Tried {
  if (!isJsonObject(value)) return false;
  const { app, method, name, outcome, at } = value;
  const isNamed = [app, method, name, outcome].every((each) => typeof each === "string");
  return isNamed && typeof at === "number" && isJsonObject(value["arguments"]);
}
