/** Saved, because a document whose frame was removed has lost it. */
const { DOMException } = globalThis;

/** A DOMException by name, with its cause, which browsers do not expose in their own. */
export function failure(name: string, message: string, cause?: unknown): DOMException {
  const error = new DOMException(message, name);
  return cause === undefined ? error : Object.defineProperty(error, "cause", { value: cause });
}
