// The hub's summary of the calls that the filters select.
import { isJsonObject } from "pagewire/wire";
import type { JsonObject } from "pagewire/wire";
import { numberIn } from "./steps.ts";

export interface ToolTimes {
  readonly tool: string;
  readonly calls: number;
  readonly failures: number;
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  readonly longest: number | undefined;
}

export interface Summary {
  readonly isWhole: boolean;
  readonly since: number | undefined;
  readonly until: number;
  readonly calls: number;
  readonly failures: number;
  readonly buckets: readonly Bucket[];
  readonly tools: readonly ToolTimes[];
}

export interface Bucket {
  readonly calls: number;
  readonly failures: number;
}

export const bucketCount = 90;

export function summaryIn(answer: unknown): Summary {
  const given: JsonObject = isJsonObject(answer) ? answer : {};
  return {
    isWhole: given["isWhole"] !== false,
    since: timeIn(given["since"]),
    until: timeIn(given["until"]) ?? Date.now(),
    calls: numberIn(given["calls"]) ?? 0,
    failures: numberIn(given["failures"]) ?? 0,
    buckets: listOf(given["buckets"]).map((pair) => {
      const [calls, failures] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
      return { calls: numberIn(calls) ?? 0, failures: numberIn(failures) ?? 0 };
    }),
    tools: listOf(given["tools"]).filter(isJsonObject).map(timesIn),
  };
}

function timesIn({ tool, calls, failures, p50, p95, longest }: JsonObject): ToolTimes {
  return {
    tool: typeof tool === "string" ? tool : "",
    calls: numberIn(calls) ?? 0,
    failures: numberIn(failures) ?? 0,
    p50: numberIn(p50),
    p95: numberIn(p95),
    longest: numberIn(longest),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function timeIn(value: unknown): number | undefined {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
