import { PagewireError } from "../wire/index.ts";

/** The error for an answer that has none of the forms that it may have. */
export function unsendable(name: string, reason: string): PagewireError {
  return new PagewireError("result-unsendable", `The answer of ${name} cannot be sent: ${reason}`);
}
