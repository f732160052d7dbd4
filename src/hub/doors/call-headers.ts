// What a caller says of its call in the headers of a request.
import type { IncomingHttpHeaders } from "node:http";
import { PagewireError, identifierPattern } from "../../wire/index.ts";

/** An identifier in a header; refused where it is none. */
export function headerOf(headers: IncomingHttpHeaders, name: "Pagewire-Tab" | "Idempotency-Key"): string | undefined {
  const value = headers[name.toLowerCase()];
  if (value === undefined || (typeof value === "string" && identifierPattern.test(value))) return value;
  throw new PagewireError("request-malformed", `${name} must be 1 to 128 printable characters without spaces.`);
}

/** The milliseconds that a call may take, where its caller says so. */
export function timeOf(headers: IncomingHttpHeaders): number | undefined {
  const seconds = headers["pagewire-timeout"];
  const milliseconds = seconds === undefined ? undefined : Number(seconds) * 1000;
  if (milliseconds === undefined || milliseconds > 0) return milliseconds;
  throw new PagewireError("request-malformed", "Pagewire-Timeout must be a number of seconds.");
}
