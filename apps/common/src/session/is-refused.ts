import { PagewireError } from "pagewire/wire";

const codes: readonly string[] = ["token-required", "token-invalid", "token-expired", "code-invalid"];

/** Whether the hub does not recognize this user. */
export function isRefused(error: unknown): error is PagewireError {
  return PagewireError.isInstance(error) && codes.includes(error.code);
}
