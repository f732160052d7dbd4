import { useCallback, useSyncExternalStore } from "react";
import type { PageState } from "../page/index.ts";
import { usePlace } from "./place.ts";

/** How the page stands with its hub. `message` is a sentence that can be shown as it is. */
export function useConnection(): PageState {
  const { page, state } = usePlace("useConnection");
  const subscribe = useCallback((listener: () => void) => page?.onState(listener) ?? (() => {}), [page]);
  return useSyncExternalStore(
    subscribe,
    () => page?.state ?? state,
    () => state,
  );
}
