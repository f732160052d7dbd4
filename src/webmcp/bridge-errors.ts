import { PagewireError, messageOf } from "../wire/index.ts";

/** An address that is safe to show: the query is removed, because it often contains a secret. */
export function shownUrl(url: string): string {
  return url.replace(/[?#].*$/s, "");
}

export function aboutServer(error: unknown, url: string): Error {
  const message = messageOf(error);
  if (error instanceof Error && message.includes(shownUrl(url))) return error;
  const code = PagewireError.isInstance(error) ? error.code : "server-unreachable";
  return new PagewireError(code, `The MCP server at ${shownUrl(url)}: ${message}`, { cause: error });
}

/** The error of a server that was lost, and what happens next. */
export function lostServer(error: unknown, url: string): Error {
  const { message } = aboutServer(error, url);
  return new PagewireError("server-unreachable", `${message} It is looked for, and its tools stay.`, { cause: error });
}

/** Throws one error as it is, several as one whose message lists them. */
export function throwAll(errors: readonly unknown[]): void {
  if (errors.length === 0) return;
  if (errors.length === 1) throw errors[0];
  const cause = new AggregateError(errors);
  throw new PagewireError("server-unreachable", errors.map(messageOf).join(" "), { cause });
}
