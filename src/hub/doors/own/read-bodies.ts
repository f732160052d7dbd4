// The bodies of requests of the hub's own pages, and of programs that ask for codes.
import type { IncomingMessage } from "node:http";
import { PagewireError, parseJsonObject } from "../../../wire/index.ts";
import type { Limits } from "../../../wire/index.ts";
import type { PinChoice } from "../../approvals/pins.ts";
import { isOrigin } from "../../common/is-origin.ts";
import { checkJson, readBody } from "../../http/exchange.ts";
import { isPageKey } from "../../identity/page-keys.ts";

export async function readSignIn(
  request: IncomingMessage,
  { headerBytes }: Limits,
): Promise<{ readonly code: string; readonly key: string | undefined }> {
  checkJson(request, "The code");
  const body = await readBody(request, headerBytes, { limit: "headerBytes" });
  const { code, key } = parseJsonObject(body.toString(), 1) ?? {};
  const isKey = key === undefined || (typeof key === "string" && isPageKey(key));
  if (typeof code === "string" && isKey) return { code, key };
  throw new PagewireError(
    "request-malformed",
    'The body must be a JSON object with the code, { "code": "…" }, and may have the "key" that the page signs with: a point of P-256 in base64url.',
  );
}

/** The token in the body that shows that it is the user in person. */
export async function readPersonToken(request: IncomingMessage, { headerBytes }: Limits): Promise<string | undefined> {
  const body = await readBody(request, headerBytes, { limit: "headerBytes" });
  if (body.length === 0) return undefined;
  checkJson(request, "The person");
  const asked = parseJsonObject(body.toString(), 1);
  const token = asked?.["person"];
  if (asked && (token === undefined || typeof token === "string")) return token;
  throw new PagewireError(
    "request-malformed",
    'The body must be empty, or a JSON object with a token: { "person": "…" }.',
  );
}

/** The origin that a code is for; undefined for the hub's own pages, which is the default. */
export async function readOrigin(request: IncomingMessage, { headerBytes }: Limits): Promise<string | undefined> {
  const body = await readBody(request, headerBytes, { limit: "headerBytes" });
  if (body.length === 0) return undefined;
  checkJson(request, "The origin");
  const asked = parseJsonObject(body.toString(), 1);
  const origin = asked?.["origin"];
  if (asked && (origin === undefined || isOrigin(origin))) return origin;
  throw new PagewireError(
    "request-malformed",
    'The body must be empty, or a JSON object with an origin: { "origin": "https://app.example.com" }.',
  );
}

/** The tool in question. */
export async function readChoice(request: IncomingMessage, { headerBytes }: Limits): Promise<PinChoice> {
  checkJson(request, "The tools");
  const { origin, name } =
    parseJsonObject((await readBody(request, headerBytes, { limit: "headerBytes" })).toString(), 1) ?? {};
  if (isOrigin(origin) && (name === undefined || typeof name === "string")) return { origin, name };
  const form = 'The body must be a JSON object: { "origin": "https://app.example.com", "name": "a_tool" }.';
  throw new PagewireError("request-malformed", form);
}
