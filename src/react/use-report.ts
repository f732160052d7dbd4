import { useCallback } from "react";
import type { RefObject } from "react";
import type { OnError } from "../wire/index.ts";

interface Reported {
  onError?(...given: Parameters<OnError>): void;
}

/** Tells the `onError` of the newest options, or else the console. Never throws: in an effect that would take the app off the screen. */
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
