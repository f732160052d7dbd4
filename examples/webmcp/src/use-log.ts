import { useCallback, useState } from "react";

export interface Entry {
  /** Counts up: two entries may fall into one millisecond. */
  readonly id: number;
  readonly time: string;
  readonly text: string;
}

/** The events, the newest first. */
export function useLog() {
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const say = useCallback((text: string) => {
    const time = new Date().toLocaleTimeString();
    setEntries((known) => [{ id: (known[0]?.id ?? 0) + 1, time, text }, ...known].slice(0, 50));
  }, []);
  return { entries, say };
}
