// Sign-ins to the hub's own pages, and to terminals: a one-time code is exchanged for a revocable token for one of the two
// uses. Only digests are kept, so neither memory nor the store contains a usable credential. Codes and tokens have 256
// random bits, so a lookup by digest leaks nothing about a guess.
import { createHash, randomBytes } from "node:crypto";
import { PagewireError, parseSignedToken } from "../../wire/index.ts";
import type { Limits, OnOver, SignedToken } from "../../wire/index.ts";
import type { Audit } from "../audit/audit.ts";
import { createPrincipalRecords } from "../store/index.ts";
import type { Later, RecordStore, StoredRecord } from "../store/index.ts";
import { holderOf, parseHolder } from "../identity/admitted.ts";
import type { Admitted, Holder } from "../identity/admitted.ts";
import type { PageKeys } from "../identity/page-keys.ts";

/** A code or a token, and when it expires, in milliseconds since 1970. */
export interface Pass {
  readonly text: string;
  readonly expiresAt: number;
}

export interface SignedIn extends Pass {
  readonly admitted: Admitted;
}

/** "app" for the hub's own pages, whose users are agents; "shell" for terminals. */
export type Use = "app" | "shell";

/** The use, and the origin of the page that presents a code or token for terminals. */
export interface Visit {
  readonly use: Use;
  readonly origin?: string | undefined;
  /** When signing in: the page's key, whose signature its token will require. */
  readonly key?: string | undefined;
}

/** The use of a code, and for terminals the origins whose pages may exchange it. */
export type Purpose = { readonly use: "app" } | { readonly use: "shell"; readonly isFor: (origin: string) => boolean };

export interface AppSessions {
  /** A code that works once, for a short time. */
  mintCode(admitted: Admitted, purpose: Purpose): Pass;
  /** Exchanges a code for a token; rejects a code that is unknown, expired, or for another use or origin. */
  signIn(code: string, visit: Visit): Promise<SignedIn>;
  /** Invalidates a code. */
  spendCode(code: string): void;
  /** Verifies a token for its use and origin. */
  verify(token: string, visit: Visit): Promise<Admitted>;
  /** Ends the sign-in that a token belongs to. */
  signOut(admitted: Admitted): Promise<void>;
  isStillGood(admitted: Admitted): boolean;
}

export interface AppSessionsOptions {
  readonly store: RecordStore;
  readonly later: Later;
  readonly limits: Pick<Limits, "codeTime" | "codesPerPrincipal" | "appSessionTime" | "appSessionsPerPrincipal">;
  readonly now: () => number;
  readonly onNotSaved: () => void;
  readonly record: Audit["record"];
  readonly onOver?: OnOver;
  readonly keys: Pick<PageKeys, "isSigned">;
  /** Whether this is currently an origin of the hub's own pages. */
  readonly isOwn: (origin: string) => boolean;
  /** A fingerprint of the secret behind a credential: when it changes, earlier sign-ins end. */
  readonly root: (use: Use, holder: Holder) => string;
  /** Called after a sign-in has ended. */
  readonly onEnded: () => void;
}

interface Grant extends Holder {
  readonly use: Use;
  /** Restricts it to pages of this origin: for terminals, and where there is a key. */
  readonly origin?: string;
  /** The public key of its page. */
  readonly key?: string;
  readonly root: string;
  readonly expiresAt: number;
}

interface Code extends Omit<Grant, "origin" | "key"> {
  readonly purpose: Purpose;
  /** When the credential that requested the code expires. */
  readonly credentialEnds: number;
}

const uses = {
  app: { prefix: "pagewire-app.", command: "npx pagewire open" },
  shell: { prefix: "pagewire-shell.", command: "npx pagewire terminal" },
} as const;

/** Whether a token looks like one issued to the hub's own pages. */
export function isAppToken(token: string): boolean {
  return token.startsWith(uses.app.prefix);
}

/** Whether a token looks like one issued to pages that may open terminals. */
export function isShellToken(token: string): boolean {
  return token.startsWith(uses.shell.prefix);
}

const maxEnded = 1000;

export function createAppSessions(options: AppSessionsOptions): AppSessions {
  const { store, later, limits, now, onNotSaved, record, onOver, keys, isOwn, root, onEnded } = options;
  /** By digest, oldest first. */
  const codes = new Map<string, Code>();
  /** The sign-ins that ended most recently, for connected sockets: their principal's records may not be in memory. */
  const ended = new Set<string>();
  const sessions = createPrincipalRecords({
    store,
    later,
    onNotSaved,
    kind: "app-sessions",
    parse: (_, record) => parseGrant(record, limits),
    toRecord,
  });

  const isGood = <Any extends Omit<Grant, "origin">>(grant: Any | undefined): grant is Any =>
    grant !== undefined && grant.expiresAt > now() && grant.root === root(grant.use, grant);

  function isKeyHolder({ key, origin = "", use }: Grant, signed: SignedToken | undefined): boolean {
    if (key === undefined) return true;
    return signed !== undefined && (use === "shell" || isOwn(origin)) && keys.isSigned(signed, key, origin);
  }

  /** Expired grants, and the oldest grants of this principal and use beyond the budget. */
  function surplus(
    grants: ReadonlyMap<string, Omit<Grant, "origin">>,
    { principal, use }: Pick<Grant, "principal" | "use">,
    budget: "codesPerPrincipal" | "appSessionsPerPrincipal",
  ): readonly string[] {
    const isOwn = (grant: Pick<Grant, "principal" | "use">) => grant.principal === principal && grant.use === use;
    const over = [...grants].filter(([, grant]) => grant.expiresAt <= now());
    const own = [...grants].filter(([, grant]) => grant.expiresAt > now() && isOwn(grant));
    const surplusOnes = own.slice(0, Math.max(0, own.length - limits[budget]));
    for (const _ of surplusOnes) onOver?.(budget);
    return [...over, ...surplusOnes].map(([key]) => key);
  }

  /** Takes effect at once; rejects if it is not saved yet. */
  async function end(principal: string, key: string, decidedBy: "user" | "room"): Promise<void> {
    const known = sessions.known(principal);
    if (ended.has(key) || known?.has(key) === false) return;
    ended.add(key);
    for (const oldest of ended) if (ended.size > maxEnded) ended.delete(oldest);
    tellAudit({ use: "app", ...known?.get(key), principal }, "signed-out", decidedBy);
    const held = sessions.hold({ principal, key, value: undefined });
    onEnded();
    await held;
  }

  async function begin(code: Code, { origin, key: pageKey }: Omit<Visit, "use">): Promise<SignedIn> {
    const { principal, use, root: codesRoot, credentialEnds } = code;
    const text = `${uses[use].prefix}${newSecret()}`;
    const key = digestOf(text);
    const expiresAt = Math.min(now() + limits.appSessionTime, credentialEnds);
    const isBound = use === "shell" || pageKey !== undefined;
    const where = {
      ...(isBound && origin !== undefined ? { origin } : {}),
      ...(pageKey === undefined ? {} : { key: pageKey }),
    };
    const grant = { ...holderOf(code), use, ...where, root: codesRoot, expiresAt };
    const all = await sessions.of(principal);
    await sessions.save({ principal, key, value: grant });
    // The token is valid even if evicting the oldest sign-ins is not saved yet.
    for (const each of surplus(all, grant, "appSessionsPerPrincipal"))
      await end(principal, each, "room").catch(() => {});
    tellAudit(grant, "signed-in", "code");
    return { text, expiresAt, admitted: admittedBy(grant, key) };
  }

  function tellAudit(
    { principal, use, origin }: Pick<Grant, "principal" | "use" | "origin">,
    ...end: [string, string]
  ) {
    const [outcome, decidedBy] = end;
    record({ kind: "sign-in", principal, name: use, origin, outcome, decidedBy });
  }

  return {
    mintCode(admitted, purpose) {
      const { expiresAt: credentialEnds = Infinity, session } = admitted;
      const { use } = purpose;
      if (session !== undefined)
        throw new PagewireError(
          "token-invalid",
          `Who signed in with a code cannot make others. Get one with: ${uses[use].command}`,
        );
      const text = newSecret();
      const expiresAt = Math.min(now() + limits.codeTime, credentialEnds);
      const holder = holderOf(admitted);
      const code = { ...holder, use, purpose, root: root(use, holder), expiresAt, credentialEnds };
      codes.set(digestOf(text), code);
      for (const key of surplus(codes, code, "codesPerPrincipal")) codes.delete(key);
      tellAudit(code, "code-made", "credential");
      return { text, expiresAt };
    },
    async signIn(text, { use, origin, key: pageKey }) {
      const key = digestOf(text);
      const code = codes.get(key);
      // Spent even when refused: a code presented at the wrong place has leaked.
      codes.delete(key);
      if (!isGood(code) || code.use !== use) throw codeInvalid(use);
      const { purpose } = code;
      if (purpose.use === "app" || (origin !== undefined && purpose.isFor(origin)))
        return begin(code, { origin, key: pageKey });
      throw notForHere(origin);
    },
    spendCode: (text) => void codes.delete(digestOf(text)),
    async verify(token, { use, origin }) {
      const signed = parseSignedToken(token);
      const session = digestOf(signed?.token ?? token);
      const grant = await sessions.find(session);
      if (!isGood(grant) || grant.use !== use || !isKeyHolder(grant, signed))
        throw new PagewireError("token-expired", "You are not signed in any more. Sign in again.");
      if (use === "shell" && grant.origin !== origin) throw notForHere(origin);
      return admittedBy(grant, session);
    },
    signOut: async ({ principal, session }) => (session === undefined ? undefined : end(principal, session, "user")),
    isStillGood(admitted) {
      const { principal, session, restsOn, expiresAt = Infinity } = admitted;
      if (session === undefined || restsOn === undefined || ended.has(session)) return false;
      const known = sessions.known(principal);
      if (known) return isGood(known.get(session));
      return expiresAt > now() && (restsOn === root("app", admitted) || restsOn === root("shell", admitted));
    },
  };
}

function admittedBy(grant: Grant, session: string): Admitted {
  const { use, root: restsOn, expiresAt } = grant;
  const ends = expiresAt === Infinity ? {} : { expiresAt };
  return { ...holderOf(grant), credential: `${use}.${session}`, session, restsOn, ...ends };
}

function codeInvalid(use: Use): PagewireError {
  return new PagewireError(
    "code-invalid",
    `This code is not good any more: each is good once, and for a short time. Get a new one with: ${uses[use].command}`,
  );
}

function notForHere(origin: string | undefined): PagewireError {
  const where = origin === undefined ? "programs" : `pages of ${origin}`;
  const command = `${uses.shell.command}${origin === undefined ? "" : ` --for ${origin}`}`;
  return new PagewireError("token-invalid", `This is not for ${where}. Get a code that is with: ${command}`);
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

function toRecord(grant: Grant): StoredRecord {
  return { ...grant, ...(grant.expiresAt === Infinity ? {} : { forgetAt: grant.expiresAt }) };
}

/** Undefined for an invalid record: the user has to sign in again. */
function parseGrant(record: StoredRecord, limits: Partial<Limits>): Grant | undefined {
  const { use = "app", origin, key, root, expiresAt } = record;
  const holder = parseHolder(record, limits);
  if (typeof root !== "string" || !holder) return undefined;
  // JSON has no Infinity.
  const end = expiresAt === null ? Infinity : expiresAt;
  if (typeof end !== "number") return undefined;
  const grant = { ...holder, root, expiresAt: end };
  const bound = parseBound(key, origin);
  if (use === "app") return bound && { ...grant, use, ...bound };
  return use === "shell" && typeof origin === "string" ? bound && { ...grant, use, origin, ...bound } : undefined;
}

/** The key that a sign-in is bound to, with the origin of its page; undefined for an invalid record. */
function parseBound(key: unknown, origin: unknown): Pick<Grant, "key" | "origin"> | undefined {
  if (key === undefined) return {};
  return typeof key === "string" && typeof origin === "string" ? { key, origin } : undefined;
}
