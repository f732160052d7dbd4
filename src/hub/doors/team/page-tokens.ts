// Tokens for pages of the company's apps: to a page itself by the cookie of the person who is signed in here, to an app's server by
// the person's access token, or by the key of a service account that names the person.
import type { IncomingMessage, ServerResponse } from "node:http";
import { PagewireError } from "../../../wire/index.ts";
import type { JsonObject } from "../../../wire/index.ts";
import { isOrigin } from "../../common/is-origin.ts";
import type { Passed } from "../../guard/guard.ts";
import { signPageToken } from "../../guard/tokens.ts";
import { readCookie, sessionCookie } from "../../http/cookies.ts";
import { respondNothing, respondText } from "../../http/respond.ts";
import type { Admitted } from "../../identity/admitted.ts";
import { noSuchPrincipal } from "../../team/people/people.ts";
import { organisationOf, personOf, serviceNameOf } from "../../common/principals.ts";
import { createRate } from "../../team/rate.ts";
import { tokenIdOf } from "../../team/sign-in/sign-in-records.ts";
import { malformed } from "./answers.ts";
import type { TeamDoorOptions } from "./answers.ts";

export const pageTokensPath = "/api/page-tokens";

interface AskedForToken {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly passed: Passed;
  body(): Promise<JsonObject>;
}

const minute = 60_000;
/** How long a token is good by default, at least and at most, in milliseconds. */
const times = { usual: 10 * minute, least: 10_000, most: 60 * minute };
const appMost = 200;

/** How many tokens a person, or a service account for all of its people, may get in a minute. */
const tokensPerMinute = { person: 120, service: 6000 };

export function createPageTokens({ team, allowedOrigins, record }: TeamDoorOptions) {
  const { people, access, tokens, signIn } = team;
  const takeOfPerson = createRate(tokensPerMinute.person, Date.now);
  const takeOfService = createRate(tokensPerMinute.service, Date.now);

  function checkOrigin(origin: unknown): string {
    if (isOrigin(origin) && allowedOrigins().includes(origin)) return origin;
    if (!isOrigin(origin)) throw malformed('The "origin" must be one, such as "https://app.example.com".');
    throw new PagewireError(
      "origin-not-allowed",
      `Pages of ${origin} get no tokens here: the hub's owner allows origins.`,
    );
  }

  /** The person in front of a page: browsers send this cookie with requests of pages of the same site only. */
  async function visitor(request: IncomingMessage): Promise<Admitted> {
    const found = await signIn.signIns.find(readCookie(request, sessionCookie));
    if (!found) throw new PagewireError("token-required", `Nobody is signed in to ${team.url} in this browser.`);
    const { id, principal, expiresAt, at } = found;
    const admitted = { principal, credential: `sign-in.${id}`, tokenId: tokenIdOf(found), issuedAt: at, expiresAt };
    await signIn.use(admitted);
    if (at <= (access.refusedBefore(principal) ?? -Infinity))
      throw new PagewireError("token-expired", "An admin of your organisation has ended this sign-in.");
    return admitted;
  }

  async function personFor(admitted: Admitted, subject: unknown): Promise<string> {
    const { principal } = admitted;
    if (serviceNameOf(principal) === undefined) {
      if (subject === undefined) return principal;
      throw new PagewireError("option-refused", "Only a service account gets tokens for others.");
    }
    team.checkAdmin(admitted);
    if (typeof subject !== "string" || subject === "")
      throw malformed('The "subject" must be the person, by the name that the identity provider has for them.');
    const organisation = organisationOf(principal) ?? "";
    const person = await people.find(organisation, personOf(organisation, subject));
    if (!person || person.isMember === false || access.isBlocked(person.id)) throw noSuchPrincipal();
    return person.id;
  }

  async function answer(admitted: Admitted, origin: string, body: JsonObject): Promise<object> {
    const { app, subject } = body;
    if (app !== undefined && (typeof app !== "string" || app === "" || app.length > appMost))
      throw malformed(`The "app" must be its name, of at most ${appMost} characters.`);
    const person = await personFor(admitted, subject);
    (person === admitted.principal ? takeOfPerson : takeOfService)(admitted.principal);
    const end = Math.min(Date.now() + readTime(body), admitted.expiresAt ?? Infinity);
    // Whole seconds, as tokens have them.
    const expiresIn = Math.floor((end - Date.now()) / 1000);
    if (expiresIn < 1) throw new PagewireError("token-expired", "The token ends now. Get a new one.");
    const token = await signPageToken({
      ...tokens,
      subject: person,
      origin,
      expiresIn,
      ...(app !== undefined && { app }),
      // It ends with the sign-in or the key that it was given for.
      ...(admitted.tokenId !== undefined && { id: admitted.tokenId }),
      ...(admitted.scopes && { scopes: admitted.scopes }),
    });
    const expiresAt = Math.floor(Date.now() / 1000 + expiresIn) * 1000;
    const about = {
      name: person,
      origin,
      outcome: "made",
      decidedBy: "credential",
      details: { use: "page", expiresAt },
    };
    record({ kind: "token", principal: admitted.principal, ...about, ...(app !== undefined && { app }) });
    return { token, expiresAt };
  }

  return async ({ request, response, passed: { origin, isPage, admitted }, body }: AskedForToken): Promise<void> => {
    if (isPage) {
      nameOrigin(response, checkOrigin(origin));
      if (request.method === "OPTIONS") return respondNothing(response);
    }
    if (request.method === "OPTIONS" || (!isPage && !admitted)) throw notForThese();
    const asked = await body();
    const { origin: wanted = isPage ? origin : undefined } = asked;
    if (isPage && wanted !== origin) throw malformed('A page gets tokens for its own "origin" only.');
    const given = await answer(admitted ?? (await visitor(request)), checkOrigin(wanted), asked);
    respondText(response, { text: JSON.stringify(given), type: "application/json" });
  };
}

/** Lets a page of this origin, and no other, read the answer. */
function nameOrigin(response: ServerResponse, origin: string): void {
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Allow-Credentials", "true");
  response.setHeader("Access-Control-Allow-Methods", "POST");
  response.setHeader("Access-Control-Allow-Headers", "Content-Type");
  response.setHeader("Access-Control-Max-Age", "600");
  response.setHeader("Vary", "Origin");
}

function readTime({ expiresIn = times.usual }: JsonObject): number {
  if (typeof expiresIn === "number" && expiresIn >= times.least && expiresIn <= times.most) return expiresIn;
  throw malformed(`"expiresIn" must be milliseconds, from ${times.least} to ${times.most}.`);
}

function notForThese(): PagewireError {
  return new PagewireError("method-not-allowed", "Only pages of other origins ask before they ask.");
}
