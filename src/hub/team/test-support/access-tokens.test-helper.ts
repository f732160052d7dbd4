// Verification of access tokens with a played issuer and a clock of the test's own.
import type { ProviderOptions } from "../../options/team-options.ts";
import { resolveTeam } from "../../options/team-options.ts";
import type { Claims } from "../people/people.ts";
import { AccessTokens } from "../tokens/access-tokens.ts";
import { audience, startIssuer } from "./start-issuer.test-helper.ts";

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
  const tokens = new AccessTokens({ providers, people, note: (_, event) => void logged.push(event), now });
  return { tokens, noted, logged };
}

export async function setUpTokens(options: Partial<ProviderOptions> = {}) {
  const { time, now } = testClock();
  const issuer = await startIssuer(now);
  const made = (issuers: Parameters<typeof verifierOf>[0]) => verifierOf(issuers, { now, ...options }).tokens;
  return { time, now, issuer, made, ...verifierOf([issuer], { now, ...options }) };
}
