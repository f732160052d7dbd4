/** Kept, because a document whose frame was removed has lost it. */
const { DOMException } = globalThis;

/** An error as browsers have them, by name; with what caused it, which the browser's own keep to themselves. */
export function failure(name: string, message: string, cause?: unknown): DOMException {
  const error = new DOMException(message, name);
  return cause === undefined ? error : Object.defineProperty(error, "cause", { value: cause });
}
