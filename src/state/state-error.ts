import { PagewireError, messageOf } from "../wire/index.ts";

/** A problem with the state directory that its owner has to repair. */
export function stateError(message: string, cause?: unknown): PagewireError {
  return new PagewireError("options-invalid", message, cause === undefined ? {} : { cause });
}

/** The system does not let us at a file of the state directory. */
export function unusable(what: "read" | "changed", error: unknown): PagewireError {
  return stateError(
    `The state directory cannot be ${what}: ${messageOf(error)}. Put that right, or set PAGEWIRE_HOME to another.`,
    error,
  );
}

/** The system's code for an error with a file, such as ENOENT. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
