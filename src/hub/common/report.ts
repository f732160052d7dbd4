// Logs and counts refused requests and failures, with what is known of the request.
import type { IncomingMessage } from "node:http";
import { PagewireError } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import type { Metrics } from "../common/metrics.ts";

export type Report = (error: unknown, about?: KnownRequest) => void;

/** Facts about a request, filled in while it is processed. */
export interface KnownRequest {
  readonly request: IncomingMessage;
  route?: string;
  admitted?: { readonly principal: string } | undefined;
  /** More than the code says, for the hub's owner. */
  message?: string;
}

export interface ReportOptions {
  readonly note: Note;
  readonly metrics: Metrics;
  /** The client's address. */
  readonly clientOf: (request: IncomingMessage) => string;
}

export function createReport({ note, metrics, clientOf }: ReportOptions): Report {
  return (error, known) => {
    const code = PagewireError.isInstance(error) ? error.code : "internal-error";
    const about = known && {
      address: clientOf(known.request),
      route: known.route,
      principal: known.admitted?.principal,
      message: known.message,
    };
    metrics.refused(code);
    if (code === "internal-error") note("error", "request-failed", { ...about, message: String(error) });
    else note("warn", "request-refused", { code, ...about });
  };
}
