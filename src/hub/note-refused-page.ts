import type { ErrorCode } from "../wire/index.ts";
import type { Door } from "./doors/door.ts";
import { allowCommand } from "./guard/credentials.ts";

/** Counts and writes down that a page was refused. Gives the command that lets it in, where there is one. */
export function noteRefusedPage(
  { metrics, note }: Pick<Door, "metrics" | "note">,
  code: ErrorCode,
  origin: string | undefined,
): string | undefined {
  const isUnknown = code === "origin-not-allowed" && origin !== undefined && origin !== "null";
  const command = isUnknown ? allowCommand(origin) : undefined;
  metrics.refused(code);
  note("warn", "page-refused", { code, origin: origin ?? "none", command });
  return command;
}
