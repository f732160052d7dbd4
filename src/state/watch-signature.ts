import { createCachedFile } from "./cached-file.ts";

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

/** Calls back whenever one of these files is another one than before, or is not there any more. */
export function watchFiles(paths: readonly string[], onChange: () => void): () => void {
  const files = paths.map((path) => createCachedFile(path, () => undefined));
  return watchSignature(() => files.map((file) => file.signature()).join("\n"), onChange);
}
