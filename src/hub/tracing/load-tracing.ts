import { messageOf } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import { createTracing } from "./create-tracing.ts";
import type { Tracing } from "./tracing.ts";

/** Makes what tells of calls as spans, where the API of OpenTelemetry is installed. */
export async function loadTracing(note: Note): Promise<Tracing | undefined> {
  try {
    return createTracing(await import("@opentelemetry/api"), note);
  } catch (error) {
    const isMissing = (error as { readonly code?: unknown }).code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) note("error", "tracing-failed", { message: messageOf(error) });
    return undefined;
  }
}
