/** Longer than the pause between two keys of somebody who types, or two clicks of a double click. */
const quietTime = 500;

/**
 * Runs something once no key has been pressed for a moment, and keeps keys from doing anything until then. Returns a
 * function that gives it up.
 */
export function afterQuiet(run: () => void): () => void {
  let timer = setTimeout(finish, quietTime);
  const stop = () => {
    clearTimeout(timer);
    removeEventListener("keydown", hold, { capture: true });
  };

  function finish(): void {
    stop();
    run();
  }

  function hold(event: KeyboardEvent): void {
    if (!event.isTrusted) return;
    event.preventDefault();
    clearTimeout(timer);
    timer = setTimeout(finish, quietTime);
  }

  addEventListener("keydown", hold, { capture: true });
  return stop;
}
