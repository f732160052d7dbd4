import { useEffect, useRef } from "preact/hooks";

/** Escape answers like the safest button. */
export function useEscape(run: (event: KeyboardEvent) => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const follow = (event: KeyboardEvent): void => {
      if (event.key === "Escape") latest.current(event);
    };
    addEventListener("keydown", follow);
    return () => removeEventListener("keydown", follow);
  }, []);
}
