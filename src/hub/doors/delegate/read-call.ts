// Parses the request of a program in a terminal.
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { PagewireError, parseJsonObject, textOf } from "../../../wire/index.ts";
import type { JsonObject, Limits, Payload } from "../../../wire/index.ts";
import { headerOf, timeOf } from "../http-call.ts";

export interface DelegateCall {
  readonly action: string;
  /** JSON text of all fields that do not belong to the door. */
  readonly arguments: string;
  /** The program's idea of its browser id. */
  readonly browserId: string;
  /** The key as the program sent it. */
  readonly key: string | undefined;
  /** The deadline in milliseconds, if the program sets one. */
  readonly time: number | undefined;
  /** Whether the stream includes progress lines, which other implementations' programs do not know. */
  readonly wantsProgress: boolean;
}

const safeWord = /^[\w.-]{1,128}$/;

export function readCall(headers: IncomingHttpHeaders, body: Payload, { jsonDepth }: Pick<Limits, "jsonDepth">) {
  const given = parseJsonObject(textOf(body), jsonDepth);
  if (!given) throw malformed("The body must be a JSON object that does not nest too deep.");
  const { action, browserId, rest } = namesOf(headers, given);
  if (typeof action !== "string" || action === "") throw malformed('The body must name the "action", as text.');
  if (typeof browserId !== "string" || !safeWord.test(browserId))
    throw malformed(
      '"browser_id" must be what pagewire browser-id prints: one word of letters, digits, ".", "_" and "-".',
    );
  return {
    action,
    arguments: JSON.stringify(rest),
    browserId,
    key: headerOf(headers, "Idempotency-Key"),
    time: timeOf(headers),
    wantsProgress: headers["pagewire-progress"] === "1",
  } satisfies DelegateCall;
}

/** An action may have arguments with these names: if both names are in headers, the whole body is arguments. */
function namesOf(headers: IncomingHttpHeaders, given: JsonObject) {
  const { "pagewire-action": named, "pagewire-browser-id": namedId } = headers;
  if ((named === undefined) !== (namedId === undefined))
    throw malformed("Pagewire-Action and Pagewire-Browser-Id are said together, or both in the body.");
  if (named !== undefined) return { action: named, browserId: namedId, rest: given };
  const { action, browser_id: browserId, ...rest } = given;
  return { action, browserId, rest };
}

/** Scopes a key to one terminal, so that equal keys of two terminals do not collide. */
export function keyWithin(credential: string, key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  return createHash("sha256")
    .update(JSON.stringify([credential, key]))
    .digest("base64url");
}

function malformed(message: string): PagewireError {
  return new PagewireError("request-malformed", message);
}
