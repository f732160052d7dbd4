import type { Attempt, Call, Fault, Run } from "../history.ts";

/** A call with everything that is known about it. */
export interface Case {
  readonly call: Call;
  readonly runs: readonly Run[];
  readonly faults: readonly Fault[];
}

/** An attempt's name in reports. */
export function nameOf(call: Call, attempt: Attempt): string {
  return `attempt ${call.attempts.indexOf(attempt) + 1} (${attempt.door})`;
}

export function overlaps(fault: Fault, from: number, to: number): boolean {
  return fault.from <= to && (fault.to ?? Infinity) >= from;
}

export function groupBy<Item>(items: readonly Item[], nameOfGroup: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOfGroup(item);
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return groups;
}
