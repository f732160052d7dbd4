import type { ErrorCode } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import type { Metrics } from "../common/metrics.ts";
import { allowCommand } from "./credentials.ts";

/** Clients that are not browsers can send any text as origin: shell metacharacters must not reach the command. */
const plainOrigin = /^[a-z][a-z0-9+.-]*:\/\/[\w.:[\]-]+$/i;

/** Counts and logs a refused page. Returns the command that allows its origin, if there is one. */
export function noteRefusedPage(
  { metrics, note }: { readonly metrics: Metrics; readonly note: Note },
  code: ErrorCode,
  origin: string | undefined,
): string | undefined {
  const isUnknown = code === "origin-not-allowed" && origin !== undefined && plainOrigin.test(origin);
  const command = isUnknown ? allowCommand(origin) : undefined;
  metrics.refused(code);
  note("warn", "page-refused", { code, origin: origin ?? "none", command });
  return command;
}
