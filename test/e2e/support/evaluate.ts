import type { CdpSession } from "./cdp.ts";
import { describeException } from "./page-log.ts";
import type { ExceptionDetails, RemoteValue } from "./page-log.ts";

/** An expression, or a function whose source is sent to the page: its arguments are all it can use. */
export type PageScript<Result, Arguments extends unknown[]> =
  | string
  | ((...values: Arguments) => Result | Promise<Result>);

/** Runs a script in the page, awaits its promise and returns its value as JSON; throws the page's error. */
export async function evaluateIn<Result>(
  session: CdpSession,
  script: PageScript<Result, never>,
  { values, asUser }: { values: readonly unknown[]; asUser: boolean },
): Promise<Result> {
  const expression = typeof script === "string" ? script : `(${String(script)})(${values.map(sourceOf).join(", ")})`;
  const { result, exceptionDetails } = await session.send<{ result: RemoteValue; exceptionDetails?: ExceptionDetails }>(
    "Runtime.evaluate",
    { expression, awaitPromise: true, returnByValue: true, userGesture: asUser },
  );
  if (exceptionDetails !== undefined) throw new Error(describeException(exceptionDetails));
  return result.value as Result;
}

/** A value as JSON, or the word undefined. */
export function sourceOf(value: unknown): string {
  return JSON.stringify(value) ?? "undefined";
}
