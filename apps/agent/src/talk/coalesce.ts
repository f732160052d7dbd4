/** Does something once, after all that asks for it in one go. */
export function coalesce(run: () => void): { ask(): void; close(): void } {
  let isAsked = false;
  let isClosed = false;
  return {
    ask() {
      if (isAsked || isClosed) return;
      isAsked = true;
      queueMicrotask(() => {
        isAsked = false;
        if (!isClosed) run();
      });
    },
    close: () => void (isClosed = true),
  };
}
