import { useInsertionEffect, useRef, useState } from "react";
import { describesSame } from "./describes-same.ts";

export interface Settled<Value> {
  /** As of `useSame`; undefined where it does not settle. */
  readonly value: Value | undefined;
  /** The name of what is another in each render. */
  readonly restless?: string | undefined;
}

/** So many renders in a row, each with another value, are no change of somebody's mind. React itself gives up after 25. */
const mostChanges = 8;

/** As `useSame`, for what may never say the same twice: such as an instance of a class that is made in each render. */
export function useSettled<Value extends object | undefined>(value: Value): Settled<Value> {
  const [{ same, changes }, setSame] = useState({ same: value, changes: 0 });
  /** The changes up to the last render that reached the screen. */
  const before = useRef(0);
  useInsertionEffect(() => {
    before.current = changes;
  });
  if (describesSame(same, value)) return { value: same };
  if (changes - before.current >= mostChanges) {
    return { value: undefined, restless: differing(Object(same), Object(value)) };
  }
  setSame({ same: value, changes: changes + 1 });
  return { value };
}

function differing(one: Record<string, unknown>, other: Record<string, unknown>): string {
  return Object.keys(other).find((name) => !describesSame(one[name], other[name])) ?? "";
}
