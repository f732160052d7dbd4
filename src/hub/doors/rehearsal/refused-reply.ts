// What a request is told that is not answered, in its vendor's own words.
import { PagewireError } from "../../../wire/index.ts";
import { idOf } from "./formats/format.ts";
import { Refusal, statusOfRefusal } from "./formats/refusal.ts";
import type { RefusalKind } from "./formats/refusal.ts";
import { UnanswerableSchema } from "./model/rehearse.ts";
import { vendorOf } from "./operations.ts";
import type { Place } from "./operations.ts";
import { jsonReply } from "./reply.ts";
import type { Reply } from "./reply.ts";
import { OutOfTime } from "./within-time.ts";

export function refusedReply(place: Place, error: unknown, onError?: (error: unknown) => void): Reply {
  const vendor = vendorOf(place);
  const refusal = refusalOf(error);
  if (refusal.kind === "internal") onError?.(error);
  const status = vendor.status?.(refusal) ?? statusOfRefusal[refusal.kind];
  const refused = jsonReply(vendor.error(refusal, idOf(place.path + refusal.message)), status);
  const retryAfter = PagewireError.isInstance(error) ? error.retryAfter : undefined;
  return retryAfter === undefined ? refused : { ...refused, headers: { "Retry-After": Math.ceil(retryAfter / 1000) } };
}

const kinds: Readonly<Record<string, RefusalKind>> = {
  "token-required": "credential",
  "token-invalid": "credential",
  "token-expired": "credential",
  "origin-not-allowed": "forbidden",
  "body-too-large": "too-large",
  "request-malformed": "json",
  "route-not-found": "not-found",
  "method-not-allowed": "method",
  "going-away": "stopping",
  "requests-too-many": "rate",
};

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof UnanswerableSchema) return new Refusal("value", error.message);
  if (error instanceof OutOfTime)
    return new Refusal(
      "value",
      `The rehearsal model needs ${error.message} for this request. Shorten its messages, or simplify its schemas and their patterns.`,
    );
  if (PagewireError.isInstance(error)) return new Refusal(kinds[error.code] ?? "internal", error.message);
  return new Refusal("internal", "Something failed inside the rehearsal model.");
}
