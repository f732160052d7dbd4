// What a program in a terminal asks for: parsed, or refused by name.
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { PagewireError, parseJsonObject, textOf } from "../../../wire/index.ts";
import type { JsonObject, Limits, Payload } from "../../../wire/index.ts";
import { headerOf, timeOf } from "../http-call.ts";

export interface DelegateCall {
  readonly action: string;
  /** JSON text: all fields that are not the door's own. */
  readonly arguments: string;
  /** What the program takes for the name of its tab. */
  readonly browserId: string;
  /** The key as its program gave it. */
  readonly key: string | undefined;
  /** Milliseconds that it may take, where the program says so. */
  readonly time: number | undefined;
  /** Whether a stream is to have lines of progress, which programs of the other make do not know. */
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

/** An action may have arguments of these names itself: a program that says both in headers has the body for arguments only. */
function namesOf(headers: IncomingHttpHeaders, given: JsonObject) {
  const { "pagewire-action": named, "pagewire-browser-id": namedId } = headers;
  if ((named === undefined) !== (namedId === undefined))
    throw malformed("Pagewire-Action and Pagewire-Browser-Id are said together, or both in the body.");
  if (named !== undefined) return { action: named, browserId: namedId, rest: given };
  const { action, browser_id: browserId, ...rest } = given;
  return { action, browserId, rest };
}

/** A key is good for one terminal: two that happen to use the same one are not each other's. */
export function keyWithin(credential: string, key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  return createHash("sha256")
    .update(JSON.stringify([credential, key]))
    .digest("base64url");
}

function malformed(message: string): PagewireError {
  return new PagewireError("request-malformed", message);
}
