/** How soon it is known that a process ended which cannot say so. */
const LOOK_TIME = 500;

/** Aborts once one of these processes is gone; `stop` leaves them be. */
export function watchProcesses(ids: readonly number[]): { readonly signal: AbortSignal; stop(): void } {
  const gone = new AbortController();
  const timer = setInterval(() => {
    if (!ids.every(isThere)) gone.abort();
  }, LOOK_TIME);
  return { signal: gone.signal, stop: () => clearInterval(timer) };
}

function isThere(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // Another user's process is there too.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
