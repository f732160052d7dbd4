import { useSyncExternalStore } from "react";
import { noCalls } from "./call-record.ts";
import type { PageCalls } from "./call-record.ts";
import { usePlace } from "./place.ts";

/** Agents' calls in this page: those running now, and the last ones that ended. */
export function useCalls(): PageCalls {
  const { record } = usePlace("useCalls");
  return useSyncExternalStore(record.subscribe, record.read, () => noCalls);
}
