import { useEffect, useState } from "preact/hooks";

/** Longer than a double click, and than it takes to see what appeared. */
const armingTime = 700;

/**
 * Whether what is asked may be answered: what appears under a pointer or while keys are pressed gets what was meant for something
 * else. Another `id` is another question.
 */
export function useArmed(id: string): boolean {
  const [armed, arm] = useState<string>();
  useEffect(() => {
    const finish = (): void => {
      removeEventListener("keydown", wait, { capture: true });
      arm(id);
    };
    let timer = setTimeout(finish, armingTime);
    function wait(): void {
      clearTimeout(timer);
      timer = setTimeout(finish, armingTime);
    }
    addEventListener("keydown", wait, { capture: true });
    return () => {
      clearTimeout(timer);
      removeEventListener("keydown", wait, { capture: true });
    };
  }, [id]);
  return armed === id;
}
