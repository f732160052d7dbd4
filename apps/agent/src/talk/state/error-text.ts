import type { AiHttpError } from "pagewire/ai-agent";
import { PagewireError } from "pagewire/wire";

const most = 600;

/** Why there is no answer, in words. */
export function errorText(error: AiHttpError | Error): string {
  if (!("status" in error)) return wordsOf(error);
  const { status, statusText, body, retryAfter } = error;
  const why = reasonIn(body).slice(0, most);
  const when = retryAfter === undefined ? "" : ` It can be tried again in ${retryAfter} s.`;
  return `The model's API answered ${`${status} ${statusText}`.trimEnd()}${why && `: ${why}`}${when}`;
}

function wordsOf(error: Error): string {
  const { cause, message } = error;
  // The element says in its message which of a page's elements it is, and where its hub is.
  if (PagewireError.isInstance(error) && error.code === "hub-unreachable" && cause instanceof Error)
    return `The hub could not be asked. ${cause.message}`;
  return message || "Something failed without saying what.";
}

/** What most APIs put their reason into; else the body as it came. */
function reasonIn(body: string): string {
  try {
    const { error, message } = Object(JSON.parse(body)) as { readonly error?: unknown; readonly message?: unknown };
    const inner = Object(error) as { readonly message?: unknown };
    const found = [inner.message, message, error].find((text) => typeof text === "string");
    return typeof found === "string" ? found : body;
  } catch {
    return body;
  }
}
