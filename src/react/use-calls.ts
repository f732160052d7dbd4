import { useSyncExternalStore } from "react";
import { noCalls } from "./call-record.ts";
import type { PageCalls } from "./call-record.ts";
import { usePlace } from "./place.ts";

/** The calls that agents make in this page: those that run now, and those that ended last. */
export function useCalls(): PageCalls {
  const { record } = usePlace("useCalls");
  return useSyncExternalStore(record.subscribe, record.read, () => noCalls);
}
