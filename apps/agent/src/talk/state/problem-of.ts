import { pageLimits, parseJsonObject, showInvisible } from "pagewire/wire";
import type { CallTurn } from "./turns.ts";

const longest = 400;

/** Why a call failed or was stopped, where that is one short text; else nothing, and the whole result says it. */
export function problemOf({ status, result = "" }: Pick<CallTurn, "status" | "result">): string {
  if ((status !== "failed" && status !== "stopped") || result.length > longest) return "";
  const error = parseJsonObject(result, pageLimits.jsonDepth)?.["error"];
  return typeof error === "string" ? showInvisible(error) : "";
}
