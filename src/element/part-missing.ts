import { PagewireError, messageOf } from "../wire/errors.ts";

/** Wraps the error of a module that failed to load; returns our own errors unchanged. */
export function partMissing(cause: unknown): PagewireError {
  if (PagewireError.isInstance(cause)) return cause;
  const message = `<ai-agent>: what remote mode needs could not be loaded: ${messageOf(cause)}; send again, or reload the page`;
  return new PagewireError("part-missing", message, { cause });
}
