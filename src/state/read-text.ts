import { readFileSync } from "node:fs";
import { systemCode, unusable } from "./state-error.ts";

/** What a file holds; undefined where there is none. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw unusable("read", error);
  }
}
