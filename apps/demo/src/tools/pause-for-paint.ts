const milliseconds = 120;

/**
 * A pause long enough to be watched; in a hidden tab, where timers may stand still for a minute, a moment only.
 * Rejects with the signal's reason when that was aborted meanwhile.
 */
export async function pauseForPaint(signal: AbortSignal): Promise<void> {
  await (document.hidden ? nextTask() : new Promise((resolve) => setTimeout(resolve, milliseconds)));
  signal.throwIfAborted();
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
