// Finds out on whose behalf an agent or a page acts, or why it may not.
import { createHash, timingSafeEqual } from "node:crypto";
import { PagewireError } from "../../wire/index.ts";
import type { ResolvedOptions } from "../options.ts";
import type { Admitted } from "./admitted.ts";
import { audiences, createTokenVerifier } from "./tokens.ts";

export interface Credentials {
  agent(token: string | undefined): Admitted | Promise<Admitted>;
  page(origin: string | undefined, token: string | undefined): Admitted | Promise<Admitted>;
  /** Whether a page of this origin can only be refused, whatever it says. */
  isHopeless(origin: string | undefined): boolean;
  /** Whether what was admitted then would still be admitted now. */
  isStillGood(admitted: Admitted, origin?: string): boolean;
}

/** The one principal of a hub in local mode. */
const localPrincipal = "local";

export function createCredentials(options: ResolvedOptions, ownOrigins: ReadonlySet<string>): Credentials {
  return options.jwt ? jwtCredentials(options.jwt) : localCredentials(options, ownOrigins);
}

function localCredentials(
  { agentToken, allowedOrigins }: ResolvedOptions,
  ownOrigins: ReadonlySet<string>,
): Credentials {
  const isAllowed = (origin: string | undefined) =>
    origin !== undefined && (ownOrigins.has(origin) || allowedOrigins().includes(origin));
  let known = knownToken("");
  const expected = () => {
    const token = agentToken?.() ?? "";
    if (token !== known.token) known = knownToken(token);
    return known;
  };

  return {
    agent(token) {
      if (token === undefined)
        throw new PagewireError("token-required", "Agents need the hub's token. Show it with: npx pagewire token show");
      const { bytes, credential } = expected();
      if (bytes.length === 0 || !sameBytes(Buffer.from(token), bytes))
        throw new PagewireError("token-invalid", "This is not the hub's token. Show it with: npx pagewire token show");
      return { principal: localPrincipal, credential };
    },
    page(origin) {
      if (isAllowed(origin)) return { principal: localPrincipal, credential: "origin" };
      throw originRefused(origin);
    },
    isHopeless: (origin) => !isAllowed(origin),
    isStillGood: ({ credential }, origin) =>
      credential === "origin" ? isAllowed(origin) : credential === expected().credential,
  };
}

function jwtCredentials(jwt: NonNullable<ResolvedOptions["jwt"]>): Credentials {
  const verify = createTokenVerifier(jwt);
  return {
    async agent(token) {
      if (token === undefined)
        throw new PagewireError("token-required", `Agents need a token for the audience "${audiences.agent}".`);
      return verify(token, audiences.agent);
    },
    async page(origin, token) {
      if (token === undefined) {
        throw new PagewireError(
          "token-required",
          `Pages need a token for the audience "${audiences.page}", signed by the app's own server.`,
        );
      }
      const { origin: signedFor, ...admitted } = await verify(token, audiences.page);
      if (signedFor !== undefined && signedFor !== origin) {
        throw new PagewireError(
          "token-invalid",
          `The page's token was signed for ${signedFor}, not for ${String(origin)}.`,
        );
      }
      return admitted;
    },
    isHopeless: () => false,
    isStillGood: ({ expiresAt }) => expiresAt === undefined || expiresAt > Date.now(),
  };
}

/** The one command that lets an origin in. */
export function allowCommand(origin: string): string {
  return `npx pagewire allow ${origin}`;
}

function originRefused(origin: string | undefined): PagewireError {
  if (origin === undefined || origin === "null") {
    return new PagewireError(
      "origin-not-allowed",
      "A page without an origin of its own cannot use this hub. Serve it over http or https.",
    );
  }
  return new PagewireError(
    "origin-not-allowed",
    `Pages of ${origin} may not use this hub yet. Allow it with: ${allowCommand(origin)}`,
  );
}

function sameBytes(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** A token, and what every call would otherwise work out of it anew. */
function knownToken(token: string): { readonly token: string; readonly bytes: Buffer; readonly credential: string } {
  const credential = createHash("sha256").update(token).digest("base64url").slice(0, 16);
  return { token, bytes: Buffer.from(token), credential };
}
