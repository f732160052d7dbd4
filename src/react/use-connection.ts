import { useCallback, useSyncExternalStore } from "react";
import type { PageState } from "../page/index.ts";
import { usePlace } from "./place.ts";

/** The state of the page's connection to its hub. `message` is a sentence for users. */
export function useConnection(): PageState {
  const { page, state } = usePlace("useConnection");
  const subscribe = useCallback((listener: () => void) => page?.onState(listener) ?? (() => {}), [page]);
  return useSyncExternalStore(
    subscribe,
    () => page?.state ?? state,
    () => state,
  );
}
