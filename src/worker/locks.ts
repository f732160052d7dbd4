/** Takes a lock for as long as this worker lives; whoever waits for it hears when it died. Resolves with its name. */
export function holdLock(): Promise<string> {
  const name = `pagewire-worker:${crypto.randomUUID()}`;
  return new Promise((resolve) => {
    void navigator.locks.request(name, () => {
      resolve(name);
      return new Promise(() => {});
    });
  });
}

/** Resolves when nobody holds the lock of this name any more. */
export async function untilFree(name: string): Promise<void> {
  await navigator.locks.request(name, { mode: "shared" }, () => undefined);
}
