// Authenticates agents, pages, terminals and their programs, in local mode and in jwt mode.
import { createHash, timingSafeEqual } from "node:crypto";
import { PagewireError } from "../../wire/index.ts";
import type { OnOver } from "../../wire/index.ts";
import type { Audit } from "../audit/audit.ts";
import type { Note } from "../common/log.ts";
import type { ResolvedOptions } from "../options/options.ts";
import type { Later, Store } from "../store/index.ts";
import { createTerminals } from "../terminals/create-terminals.ts";
import type { Terminals } from "../terminals/terminals.ts";
import type { Admitted, Holder } from "../identity/admitted.ts";
import { createAppSessions, isAppToken, isShellToken } from "./app-sessions.ts";
import type { AppSessions, Use } from "./app-sessions.ts";
import { createPageKeys } from "../identity/page-keys.ts";
import type { PageKeys } from "../identity/page-keys.ts";
import { createHubProofs } from "../identity/hub-proofs.ts";
import type { HubProofs, HubSecret } from "../identity/hub-proofs.ts";
import { createShellCredentials, terminalsOff } from "./shell-credentials.ts";
import type { ShellCredentials, ShellRoot } from "./shell-credentials.ts";
import { isRevoked, markOf } from "../identity/revocations.ts";
import { audiences, createTokenVerifier } from "./tokens.ts";
import type { VerifyToken } from "./tokens.ts";

export interface Credentials {
  agent(token: string | undefined): Admitted | Promise<Admitted>;
  /** A program in a terminal, by the token in its environment. */
  terminal(token: string | undefined): Promise<Admitted>;
  /** Authenticates by the shell key, or by the token that a page of this origin received for a code. */
  shell(token: string | undefined, origin: string | undefined): Promise<Admitted>;
  /** Throws if pages of this origin can never open a terminal; the message says how to allow it. */
  checkShellOrigin(origin: string | undefined): void;
  page(origin: string | undefined, token: string | undefined): Admitted | Promise<Admitted>;
  /** Whether pages of this origin are refused whatever credential they present. */
  isHopeless(origin: string | undefined): boolean;
  /** Whether a credential that was accepted earlier would still be accepted. */
  isStillGood(admitted: Admitted, origin?: string): boolean;
}

/** The credentials from which sign-ins and terminals are derived. */
interface RootCredentials extends Omit<Credentials, "terminal" | "shell" | "checkShellOrigin"> {
  /** A non-secret fingerprint of the secret that a derived credential depends on. */
  root(use: Use, holder: Holder): string;
  readonly shellRoot: ShellRoot;
}

const localPrincipal = "local";

export interface CredentialsOptions {
  readonly options: ResolvedOptions;
  readonly ownOrigins: ReadonlySet<string>;
  readonly store: Store;
  readonly later: Later;
  readonly note: Note;
  readonly record: Audit["record"];
  readonly onNotSaved: (what: "sign-in" | "terminal") => void;
  readonly onOver: OnOver;
  /** Called when a sign-in has ended. */
  readonly onEnded: () => void;
}

/** Derived from the hub's root credentials: sign-ins, access to terminals, and the programs in them. */
export interface Resting {
  readonly appSessions: AppSessions;
  readonly pageKeys: PageKeys;
  readonly shells: ShellCredentials;
  readonly terminals: Terminals;
  readonly proofs: HubProofs;
}

export function createCredentials({ options, ownOrigins, ...parts }: CredentialsOptions): Credentials & Resting {
  const { limits } = options;
  const proofs = createHubProofs({
    isSigned: options.jwt !== undefined,
    secretOf: (secret) => secretOf(secret, options),
    givenKey: (digest) => terminals.proofKey(digest),
    limits,
    now: () => Date.now(),
  });
  const base = options.jwt
    ? jwtCredentials(options, ownOrigins)
    : localCredentials(options, ownOrigins, proofs.isProven);
  const { onNotSaved } = parts;
  const pageKeys = createPageKeys(limits, Date.now);
  const appSessions = createAppSessions({
    ...parts,
    keys: pageKeys,
    isOwn: (origin) => ownOrigins.has(origin),
    limits,
    now: Date.now,
    root: base.root,
    onNotSaved: () => onNotSaved("sign-in"),
  });
  const terminals = createTerminals({
    ...parts,
    limits,
    now: Date.now,
    onNotSaved: () => onNotSaved("terminal"),
    root: (madeWith, holder) => base.root(madeWith === "agent" ? "app" : "shell", holder),
  });
  const isOn = options.shell !== undefined;
  const shells = createShellCredentials({ isOn, root: base.shellRoot, sessions: appSessions, ownOrigins });
  return {
    ...base,
    appSessions,
    pageKeys,
    shells,
    terminals,
    proofs,
    agent: (token) =>
      token !== undefined && isAppToken(token) ? appSessions.verify(token, { use: "app" }) : base.agent(token),
    async terminal(token) {
      if (token !== undefined) return terminals.verify(token);
      throw new PagewireError("token-required", "Programs in a terminal need its token: $PAGEWIRE_TERMINAL_TOKEN.");
    },
    shell: shells.verify,
    checkShellOrigin: shells.checkOrigin,
    // In jwt mode this is the only token that the hub's own terminal page has.
    page: (origin, token) =>
      options.jwt && origin !== undefined && ownOrigins.has(origin) && token !== undefined && isShellToken(token)
        ? appSessions.verify(token, { use: "shell", origin })
        : base.page(origin, token),
    isStillGood(admitted, origin) {
      if (admitted.terminal !== undefined) return terminals.isStillGood(admitted);
      if (admitted.session === undefined) return base.isStillGood(admitted, origin);
      return appSessions.isStillGood(admitted) && (origin === undefined || !base.isHopeless(origin));
    },
  };
}

function secretOf(secret: HubSecret, { jwt, shell, agentToken }: ResolvedOptions): string | undefined {
  if (secret === "shell" && shell === undefined) throw terminalsOff();
  return jwt ? undefined : (secret === "shell" ? shell?.key : agentToken)?.();
}

function localCredentials(
  { agentToken, allowedOrigins, shell }: ResolvedOptions,
  ownOrigins: ReadonlySet<string>,
  isProven: HubProofs["isProven"],
): RootCredentials {
  const isAllowed = (origin: string | undefined) =>
    origin !== undefined && (ownOrigins.has(origin) || allowedOrigins().includes(origin));
  const agents = createKnownSecret(agentToken, (text) => isProven(text, "agent"));
  const shellKey = createKnownSecret(shell?.key, (text) => isProven(text, "shell"));
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
    root: (use) => (use === "app" ? `token ${agents.credential}` : `shell ${shellKey.credential}`),
    isHopeless: (origin) => !isAllowed(origin),
    isStillGood: ({ credential }, origin) =>
      credential === "origin" ? isAllowed(origin) : credential === agents.credential,
  };
}

const shellKeyNeeded =
  "Terminals need the hub's shell key, and no other token. Let the command bring it: npx pagewire terminal";

function jwtCredentials(
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
