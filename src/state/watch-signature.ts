/** How often a file is looked at. Watching by the system misses files that are replaced, and is missing on some disks. */
const POLL_TIME = 300;

/** Calls back whenever the signature is another one. Does not keep the process alive. */
export function watchSignature(signature: () => string, onChange: () => void): () => void {
  let last = signature();
  const timer = setInterval(() => {
    const now = signature();
    if (now === last) return;
    last = now;
    onChange();
  }, POLL_TIME);
  timer.unref();
  return () => clearInterval(timer);
}
