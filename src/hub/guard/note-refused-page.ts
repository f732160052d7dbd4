import type { ErrorCode } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import type { Metrics } from "../common/metrics.ts";
import { allowCommand } from "./credentials.ts";

/** Whatever is no browser may send any text as its origin; what a shell would do more with than read it is in no command. */
const plainOrigin = /^[a-z][a-z0-9+.-]*:\/\/[\w.:[\]-]+$/i;

/** Counts and writes down that a page was refused. Gives the command that lets it in, where there is one. */
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
