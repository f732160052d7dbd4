// Finds out on whose behalf an agent or a page acts, or why it may not.
import { createHash, timingSafeEqual } from "node:crypto";
import { PagewireError } from "../../wire/index.ts";
import type { Note } from "../log.ts";
import type { ResolvedOptions } from "../options.ts";
import type { Store } from "../store/index.ts";
import type { Admitted } from "./admitted.ts";
import { createAppSessions, isAppToken } from "./app-sessions.ts";
import type { AppSessions } from "./app-sessions.ts";
import { audiences, createTokenVerifier } from "./tokens.ts";

export interface Credentials {
  agent(token: string | undefined): Admitted | Promise<Admitted>;
  page(origin: string | undefined, token: string | undefined): Admitted | Promise<Admitted>;
  /** Whether a page of this origin can only be refused, whatever it says. */
  isHopeless(origin: string | undefined): boolean;
  /** Whether what was admitted then would still be admitted now. */
  isStillGood(admitted: Admitted, origin?: string): boolean;
}

/** Those that do not rest on others. */
interface RootCredentials extends Credentials {
  /** Stands for the secret that they rest on, and is none. */
  root(): string;
}

/** The one principal of a hub in local mode. */
const localPrincipal = "local";

export interface CredentialsOptions {
  readonly options: ResolvedOptions;
  readonly ownOrigins: ReadonlySet<string>;
  readonly store: Store;
  readonly note: Note;
  /** Hears that what was good is not any more. */
  readonly onEnded: () => void;
}

/** The credentials of a hub, and who signed in to its own pages with them. */
export function createCredentials({
  options,
  ownOrigins,
  ...parts
}: CredentialsOptions): Credentials & { readonly appSessions: AppSessions } {
  const base = options.jwt ? jwtCredentials(options.jwt) : localCredentials(options, ownOrigins);
  const { limits } = options;
  const appSessions = createAppSessions({ ...parts, limits, now: Date.now, root: base.root });
  return {
    ...base,
    appSessions,
    agent: (token) => (token !== undefined && isAppToken(token) ? appSessions.verify(token) : base.agent(token)),
    isStillGood: (admitted, origin) =>
      admitted.session === undefined ? base.isStillGood(admitted, origin) : appSessions.isStillGood(admitted),
  };
}

function localCredentials(
  { agentToken, allowedOrigins }: ResolvedOptions,
  ownOrigins: ReadonlySet<string>,
): RootCredentials {
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
    root: () => `token ${expected().credential}`,
    isHopeless: (origin) => !isAllowed(origin),
    isStillGood: ({ credential }, origin) =>
      credential === "origin" ? isAllowed(origin) : credential === expected().credential,
  };
}

function jwtCredentials(jwt: NonNullable<ResolvedOptions["jwt"]>): RootCredentials {
  const verify = createTokenVerifier(jwt);
  const root = `jwt ${shortDigest(JSON.stringify([jwt.secret, jwt.jwks, jwt.issuer]))}`;
  return {
    root: () => root,
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
  return { token, bytes: Buffer.from(token), credential: shortDigest(token) };
}

function shortDigest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}
