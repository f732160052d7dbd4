// The credentials that a hub has of its own: in local mode its token, its shell key and the allowed origins, in jwt mode the
// tokens that an app's server signed.
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { PagewireError } from "../../wire/index.ts";
import type { ResolvedOptions } from "../options/options.ts";
import type { Admitted, Holder } from "../identity/admitted.ts";
import type { HubProofs } from "../identity/hub-proofs.ts";
import { isRevoked, markOf } from "../identity/revocations.ts";
import type { Use } from "./grant.ts";
import type { ShellRoot } from "./shell-credentials.ts";
import { audiences, createTokenVerifier } from "./tokens.ts";
import type { VerifyToken } from "./tokens.ts";

/** The credentials from which sign-ins and terminals are derived. */
export interface RootCredentials {
  /** The request that brought the token, where it was one. */
  agent(token: string | undefined, request?: IncomingMessage): Admitted | Promise<Admitted>;
  page(origin: string | undefined, token: string | undefined): Admitted | Promise<Admitted>;
  /** Whether pages of this origin are refused, with any credential. */
  isHopeless(origin: string | undefined): boolean;
  /** Whether a credential that was accepted earlier would still be accepted. */
  isStillGood(admitted: Admitted, origin?: string): boolean;
  /** A non-secret fingerprint of the secret that a derived credential depends on. */
  root(use: Use, holder: Holder): string;
  readonly shellRoot: ShellRoot;
  /** The hub's owner, if this is their key; undefined for another text. */
  owner(token: string): Admitted | undefined;
  /** A fingerprint of the owner's key; undefined where no one can act as the owner. */
  ownerRoot(): string | undefined;
}

export const localPrincipal = "local";

export function localCredentials(
  { agentToken, allowedOrigins, shell }: ResolvedOptions,
  ownOrigins: ReadonlySet<string>,
  isProven: HubProofs["isProven"],
): RootCredentials {
  const isAllowed = (origin: string | undefined) =>
    origin !== undefined && (ownOrigins.has(origin) || allowedOrigins().includes(origin));
  const agents = createKnownSecret(agentToken, (text) => isProven(text, "agent"));
  const shellKey = createKnownSecret(shell.key, (text) => isProven(text, "shell"));
  const codeNeeded = (origin: string) =>
    `Terminals need a code. Get one with: npx pagewire terminal${ownOrigins.has(origin) ? "" : ` --for ${origin}`}`;

  return {
    agent(token) {
      if (token === undefined)
        throw new PagewireError("token-required", "Agents need the hub's token. Show it with: npx pagewire token show");
      const credential = agents.credentialFor(token);
      if (credential !== undefined) return { principal: localPrincipal, credential };
      throw new PagewireError(
        "token-invalid",
        "This is not the hub's token. With the PAGEWIRE_HOME that the hub was started with, show it by: npx pagewire token show",
      );
    },
    page(origin) {
      if (isAllowed(origin)) return { principal: localPrincipal, credential: "origin" };
      throw originRefused(origin);
    },
    shellRoot: {
      admit(token, origin) {
        // A page that knew the key would expose it to every other script in the page.
        if (origin !== undefined)
          throw new PagewireError(token === undefined ? "token-required" : "token-invalid", codeNeeded(origin));
        if (token === undefined) throw new PagewireError("token-required", shellKeyNeeded);
        const credential = shellKey.credentialFor(token);
        if (credential === undefined) throw new PagewireError("token-invalid", shellKeyNeeded);
        return { principal: localPrincipal, credential: `shell ${credential}` };
      },
      checkOrigin(origin) {
        if (!isAllowed(origin)) throw originRefused(origin);
      },
    },
    // While terminals are off, no sign-in to them and no terminal of an earlier run is valid.
    root: (use) =>
      use === "shell" ? `shell ${shell.isOn ? shellKey.credential : "off"}` : `token ${agents.credential}`,
    owner(token) {
      // Without terminals, now or later, the hub may not use the key.
      const credential = shell.isOn || shell.load ? shellKey.credentialFor(token) : undefined;
      return credential === undefined
        ? undefined
        : { principal: localPrincipal, credential: `owner ${credential}`, isOwner: true };
    },
    ownerRoot: () => (shell.key?.() ? `owner ${shellKey.credential}` : undefined),
    isHopeless: (origin) => !isAllowed(origin),
    isStillGood: ({ credential }, origin) =>
      credential === "origin"
        ? isAllowed(origin)
        : credential === agents.credential || credential === `owner ${shellKey.credential}`,
  };
}

const shellKeyNeeded =
  "Terminals need the hub's shell key, and no other token. Let the command bring it: npx pagewire terminal";

export function jwtCredentials(
  { jwt = {}, limits, revocations }: ResolvedOptions,
  ownOrigins: ReadonlySet<string>,
): RootCredentials {
  const verifyToken = createTokenVerifier(jwt, limits);
  const root = `jwt ${shortDigest(JSON.stringify([jwt.secret, jwt.jwks, jwt.issuer]))}`;
  const verify: VerifyToken = async (token, audience) => {
    const admitted = await verifyToken(token, audience);
    if (!isRevoked(admitted, revocations())) return admitted;
    throw new PagewireError("token-expired", "The token was revoked. Get a new one.");
  };

  return {
    root: (_, holder) => root + markOf(holder, revocations()),
    async agent(token) {
      if (token === undefined)
        throw new PagewireError("token-required", `Agents need a token for the audience "${audiences.agent}".`);
      return verify(token, audiences.agent);
    },
    async page(origin, token) {
      if (token === undefined) {
        throw new PagewireError(
          "token-required",
          `Pages need a token for the audience "${audiences.page}", of the app's own server or, in team mode, of the hub for a person who is signed in.`,
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
    shellRoot: {
      async admit(token, origin) {
        if (token === undefined)
          throw new PagewireError("token-required", `Terminals need a token for the audience "${audiences.terminal}".`);
        const admitted = await verify(token, audiences.terminal);
        if (origin === undefined || admitted.origin === origin) return admitted;
        if (admitted.origin === undefined && ownOrigins.has(origin)) return admitted;
        throw new PagewireError("origin-not-allowed", `The token was not signed for terminals in pages of ${origin}.`);
      },
      checkOrigin(origin) {
        if (origin === undefined || origin === "null") throw originRefused(origin);
      },
    },
    owner: () => undefined,
    ownerRoot: () => undefined,
    isHopeless: () => false,
    isStillGood: (admitted) => (admitted.expiresAt ?? Infinity) > Date.now() && !isRevoked(admitted, revocations()),
  };
}

export function allowCommand(origin: string): string {
  return `npx pagewire allow ${origin}`;
}

export function originRefused(origin: string | undefined): PagewireError {
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

/** A secret that may change at any time, with its digest cached. */
interface KnownSecret {
  /** A non-secret fingerprint of the secret. */
  readonly credential: string;
  /** The fingerprint, if this is the secret or proof of knowing it. An empty secret matches nothing. */
  credentialFor(text: string): string | undefined;
}

function createKnownSecret(read: (() => string) | undefined, isProven: (text: string) => boolean): KnownSecret {
  let known = { text: "", bytes: Buffer.from(""), credential: shortDigest("") };
  const current = () => {
    const text = read?.() ?? "";
    if (text !== known.text) known = { text, bytes: Buffer.from(text), credential: shortDigest(text) };
    return known;
  };
  return {
    get credential() {
      return current().credential;
    },
    credentialFor(text) {
      const { bytes, credential } = current();
      const given = Buffer.from(text);
      const isEqual = bytes.length > 0 && given.length === bytes.length && timingSafeEqual(given, bytes);
      return isEqual || isProven(text) ? credential : undefined;
    },
  };
}

function shortDigest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}
