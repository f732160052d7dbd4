// The summary of a search for calls: how many there are over time, and how long those of each tool took. It keeps two numbers
// for each call, of which there are as many as one request examines.
import type { AuditQuery, AuditRecord } from "../../store/index.ts";

/** Agents can make up names: of more tools, only the number is in the answer. */
const mostTools = 100;

export interface SummaryOfCalls {
  readonly isRecorded: boolean;
  /** Whether every call of the time was examined; otherwise there are earlier ones, and `since` is where the search stopped. */
  readonly isWhole: boolean;
  readonly since: string | null;
  readonly until: string | null;
  readonly calls: number;
  readonly failures: number;
  /** Equal parts of the time, each with its calls and how many of them failed. */
  readonly buckets: readonly (readonly [calls: number, failures: number])[];
  readonly tools: readonly ToolTimes[];
  readonly otherTools: number;
}

/** How long the calls of a tool took, in milliseconds; null where none began. */
export interface ToolTimes {
  readonly tool: string;
  readonly calls: number;
  readonly failures: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly longest: number | null;
}

export const noCalls: SummaryOfCalls = {
  ...{ isRecorded: false, isWhole: true, since: null, until: null, calls: 0, failures: 0 },
  ...{ buckets: [], tools: [], otherTools: 0 },
};

interface Found {
  calls: number;
  failures: number;
  readonly times: number[];
}

export class CallSummary {
  readonly #range: Pick<AuditQuery, "since" | "until">;
  readonly #buckets: number;
  readonly #tools = new Map<string, Found>();
  /** Negative for a call that failed. */
  readonly #ends: number[] = [];
  #oldest = Infinity;

  constructor({ query, buckets }: { readonly query: Pick<AuditQuery, "since" | "until">; readonly buckets: number }) {
    this.#range = query;
    this.#buckets = buckets;
  }

  /** Takes the time of a call that the filters do not select. */
  examined(at: string): void {
    this.#oldest = Math.min(this.#oldest, Date.parse(at));
  }

  add({ name = "", at, outcome, milliseconds }: Pick<AuditRecord, "name" | "at" | "outcome" | "milliseconds">): void {
    this.examined(at);
    const isFailure = outcome !== "ok";
    this.#ends.push(isFailure ? -Date.parse(at) : Date.parse(at));
    const found = this.#tools.get(name) ?? { calls: 0, failures: 0, times: [] };
    found.calls++;
    if (isFailure) found.failures++;
    if (milliseconds !== undefined) found.times.push(milliseconds);
    this.#tools.set(name, found);
  }

  end(isWhole: boolean): SummaryOfCalls {
    const { since, until } = this.#range;
    const oldest = this.#oldest === Infinity ? undefined : this.#oldest;
    const from = isWhole && since !== undefined ? Date.parse(since) : oldest;
    const to = until === undefined ? Date.now() : Date.parse(until);
    const tools = [...this.#tools].map(timesOf).toSorted((one, other) => other.calls - one.calls);
    return {
      isRecorded: true,
      isWhole,
      since: from === undefined ? null : isoOf(from),
      until: isoOf(to),
      calls: this.#ends.length,
      failures: this.#ends.filter((at) => at < 0).length,
      buckets: from === undefined ? [] : this.#density(from, to),
      tools: tools.slice(0, mostTools),
      otherTools: Math.max(0, tools.length - mostTools),
    };
  }

  #density(from: number, to: number): readonly (readonly [number, number])[] {
    const buckets = Array.from({ length: this.#buckets }, (): [number, number] => [0, 0]);
    const width = Math.max(1, to - from) / buckets.length;
    for (const end of this.#ends) {
      // The clock may have been set back.
      const at = Math.min(buckets.length - 1, Math.max(0, Math.floor((Math.abs(end) - from) / width)));
      const bucket = buckets[at];
      if (!bucket) continue;
      bucket[0]++;
      if (end < 0) bucket[1]++;
    }
    return buckets;
  }
}

function timesOf([tool, { calls, failures, times }]: readonly [string, Found]): ToolTimes {
  const sorted = times.toSorted((one, other) => one - other);
  const [p50, p95, longest] = [0.5, 0.95, 1].map((share) => sorted[Math.ceil(share * sorted.length) - 1] ?? null);
  return { tool, calls, failures, p50: p50 ?? null, p95: p95 ?? null, longest: longest ?? null };
}

function isoOf(at: number): string {
  return new Date(at).toISOString();
}
