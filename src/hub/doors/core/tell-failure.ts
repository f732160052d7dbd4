import { PagewireError, messageOf } from "../../../wire/index.ts";
import type { Note } from "../../common/log.ts";

/**
 * A version of a provider's failure that reveals neither the provider's address nor its error about the key; more of it
 * to the hub's owner.
 */
export async function tellFailure(
  failure: unknown,
  note: Note,
  { isOwner = false, organisation }: { readonly isOwner?: boolean; readonly organisation?: string | undefined },
): Promise<Response> {
  if (!(failure instanceof Response)) {
    note("error", "model-unreachable");
    const why = isOwner ? `: ${causeOf(failure)}` : ".";
    return say(502, `The model's provider cannot be reached from the hub${why}`);
  }
  const { status } = failure;
  note("warn", "model-failed", { status });
  if (status !== 401 && (status !== 403 || isOwner)) return failure;
  if (organisation === undefined) return say(status, "The model's provider does not accept the hub's key.");
  const next = `An administrator of ${organisation} must set another.`;
  return say(status, `The model's provider does not accept the key of your organisation. ${next}`);
}

/** `fetch` itself says only that it failed. */
function causeOf(failure: unknown): string {
  return messageOf(failure instanceof Error && failure.cause instanceof Error ? failure.cause : failure);
}

/** An error response in the format of the providers. Its type says that the words are the hub's. */
function say(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ error: { message, type: "pagewire" } }, { status, headers });
}

/** A failed check as a provider's error response. */
export function refusalOf(check: () => void): Response | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!PagewireError.isInstance(error)) throw error;
    return say(error.code === "quota-exceeded" ? 429 : 500, error.message, {
      "Retry-After": String(Math.ceil((error.retryAfter ?? 0) / 1000)),
    });
  }
}
