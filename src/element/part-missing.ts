import { PagewireError, messageOf } from "../wire/errors.ts";

/** What becomes of a part that could not be loaded; an error of our own is what it is. */
export function partMissing(cause: unknown): PagewireError {
  if (PagewireError.isInstance(cause)) return cause;
  const message = `<ai-agent>: what remote mode needs could not be loaded: ${messageOf(cause)}; send again, or reload the page`;
  return new PagewireError("part-missing", message, { cause });
}
