import { useInsertionEffect, useRef } from "react";
import type { RefObject } from "react";

/** Holds the value of the newest render that reached the screen; one that was thrown away leaves no trace. */
export function useNewest<Value>(value: Value): RefObject<Value> {
  const newest = useRef(value);
  // The first of all effects, so that every other one of the same commit already sees it.
  useInsertionEffect(() => {
    newest.current = value;
  });
  return newest;
}
