import { useInsertionEffect, useRef, useCallback } from "react";
import type { RefObject } from "react";
import type { OnError } from "../wire/index.ts";

interface Reported {
  onError?(...given: Parameters<OnError>): void;
}

/** Reports to the newest options' `onError`, or to the console. Never throws: in an effect that would unmount the app. */
export function useReport(newest: RefObject<Reported | undefined>): OnError {
  return useCallback(
    (error, context) => {
      try {
        (newest.current?.onError ?? logError)(error, context);
      } catch (thrown) {
        logError(error, context);
        logError(thrown, { stage: "onError" });
      }
    },
    [newest],
  );
}

const logError: OnError = (error, { stage }) => console.error(`Pagewire (${stage}):`, error);

/** Holds the value of the newest render that reached the screen; one that was thrown away leaves no trace. */
export function useNewest<Value>(value: Value): RefObject<Value> {
  const newest = useRef(value);
  // The first of all effects, so that every other one of the same commit already sees it.
  useInsertionEffect(() => {
    newest.current = value;
  });
  return newest;
}
