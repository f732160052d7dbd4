// Verification of access tokens with a played issuer and a clock of the test's own.
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { ProviderOptions } from "../../options/team-options.ts";
import { resolveTeam } from "../../options/team-options.ts";
import type { Claims } from "../people/people.ts";
import { AccessTokens } from "../tokens/access-tokens.ts";
import { audience, respondJson, startIssuer } from "./start-issuer.test-helper.ts";
import { clientSecret } from "./start-provider.test-helper.ts";

/** Codes of refusals. */
export const invalid = { code: "token-invalid" };
export const expired = { code: "token-expired" };
export const unavailable = { code: "identity-unavailable", retryAfter: 1000 };
export const tooMany = { code: "requests-too-many", retryAfter: 1000 };

export interface Clock {
  readonly time: { now: number };
  readonly now: () => number;
}

export function testClock(): Clock {
  const time = { now: Date.now() };
  return { time, now: () => time.now };
}

/** The first issuer is of the organisation "acme". */
export function verifierOf(
  issuers: readonly { readonly issuer: string }[],
  { now, ...options }: Partial<ProviderOptions> & Pick<Clock, "now">,
) {
  const noted: [principal: string, claims: Claims, at: number][] = [];
  const logged: string[] = [];
  const { providers } = resolveTeam({
    secret: "s".repeat(32),
    providers: issuers.map(({ issuer }, at) => ({
      ...{ name: at === 0 ? "acme" : `other${at}`, issuer, audiences: [audience] },
      ...options,
    })),
  });
  const people = { load: async () => undefined, note: async (...given: (typeof noted)[0]) => void noted.push(given) };
  const note = (_: unknown, event: string) => void logged.push(event);
  const onEnded = () => void logged.push("ended");
  const tokens = new AccessTokens({ providers, people, note, now, onEnded, maxClaimsAge: 86_400_000 });
  return { tokens, noted, logged };
}

export async function setUpTokens(options: Partial<ProviderOptions> = {}) {
  const { time, now } = testClock();
  const issuer = await startIssuer(now);
  const made = (issuers: Parameters<typeof verifierOf>[0]) => verifierOf(issuers, { now, ...options }).tokens;
  return { time, now, issuer, made, ...verifierOf([issuer], { now, ...options }) };
}

/** A played provider that answers what the test wants about each token. */
export async function playProvider(answer: (token: string, request: IncomingMessage) => unknown) {
  const made = await setUpTokens({ introspection: true, clientId: "hub", clientSecret });
  const at = Math.floor(made.now() / 1000);
  const usual = { active: true, aud: audience, sub: "ada", scope: "tools", iat: at, exp: at + 600 };
  const questions: string[] = [];
  made.issuer.about["introspection_endpoint"] = `${made.issuer.issuer}/introspect`;
  made.issuer.answers.set("/introspect", async (request, response) => {
    const token = new URLSearchParams(await text(request)).get("token") ?? "";
    questions.push(token);
    const said = answer(token, request);
    if (typeof said === "function") return void said(response);
    respondJson(response, { ...usual, ...Object(said) });
  });
  return { ...made, at, questions };
}
