// Sign-ins to the hub's own pages and to terminals, and paired browsers: a one-time code is exchanged for a revocable token
// for one of these uses.
import { PagewireError, browserNameMost, parseSignedToken } from "../../wire/index.ts";
import type { Limits, OnOver, SignedToken } from "../../wire/index.ts";
import type { Audit } from "../audit/audit.ts";
import { createPrincipalRecords } from "../store/index.ts";
import type { Later, PrincipalRecords, RecordStore } from "../store/index.ts";
import { holderOf } from "../identity/admitted.ts";
import type { Admitted, Holder } from "../identity/admitted.ts";
import type { PageKeys } from "../identity/page-keys.ts";
import { admittedBy, digestOf, newSecret, parseGrant, toRecord, uses } from "./grant.ts";
import type { Code, Grant, Pairing, Purpose, Use } from "./grant.ts";

/** A code or a token, and when it expires, in milliseconds since 1970. */
export interface Pass {
  readonly text: string;
  readonly expiresAt: number;
}

export interface SignedIn extends Pass {
  readonly admitted: Admitted;
}

/** The use, and the origin of the page or extension that presents a code or token. */
export interface Visit {
  readonly use: Use;
  readonly origin?: string | undefined;
  /** When signing in: the page's key, whose signature its token will require. */
  readonly key?: string | undefined;
  /** When a browser is paired: the name that its user gave it. */
  readonly name?: string | undefined;
}

/** The codes of other hubs. Each begins with the name of its hub. */
export interface CodesElsewhere {
  nameHere(secret: string): string;
  /** Has the hub of a code exchange it, or spend it without a visit; undefined for a code of this hub or none. */
  signIn(code: string, visit: Visit | undefined): Promise<Pass | undefined> | undefined;
}

export interface AppSessionsOptions {
  readonly store: RecordStore;
  readonly later: Later;
  readonly limits: Pick<Limits, "codeTime" | "codesPerPrincipal" | "appSessionTime" | "tokenTime" | SessionBudget>;
  readonly now: () => number;
  readonly onNotSaved: () => void;
  readonly record: Audit["record"];
  readonly onOver?: OnOver;
  readonly keys: Pick<PageKeys, "isSigned">;
  /** Whether this is currently an origin of the hub's own pages. */
  readonly isOwn: (origin: string) => boolean;
  /** A fingerprint of the secret behind a credential: when it changes, earlier sign-ins end. */
  readonly root: (use: Use, holder: Holder) => string;
  /** A fingerprint of the owner's key; undefined where no one can act as the owner. */
  readonly ownerRoot: () => string | undefined;
  /** Called after a sign-in has ended. */
  readonly onEnded: () => void;
}

type SessionBudget = "appSessionsPerPrincipal" | "browsersPerPrincipal";

const maxEnded = 1000;

export function createAppSessions(options: AppSessionsOptions): AppSessions {
  return new AppSessions(options);
}

export class AppSessions {
  readonly #options: AppSessionsOptions;
  /** By digest, oldest first. */
  readonly #codes = new Map<string, Code>();
  /** The sign-ins that ended most recently, for connected sockets: their principal's records may not be in memory. */
  readonly #ended = new Set<string>();
  readonly #sessions: PrincipalRecords<Grant>;
  elsewhere: CodesElsewhere | undefined;

  constructor(options: AppSessionsOptions) {
    const { store, later, onNotSaved, limits } = options;
    this.#options = options;
    this.#sessions = createPrincipalRecords({
      ...{ store, later, onNotSaved, kind: "app-sessions", toRecord },
      parse: (_, record) => parseGrant(record, limits),
      onReread: (principal, before) => {
        const after = this.#sessions.known(principal);
        if ([...before.keys()].some((session) => !after?.has(session))) options.onEnded();
      },
    });
    store.onChanged?.((change) => {
      if (change?.kind !== "app-sessions" || change.principal !== undefined) return;
      this.#noteEnded(change.key);
      options.onEnded();
    });
  }

  /** A code that works once, for a short time. */
  mintCode(admitted: Admitted, purpose: Purpose): Pass {
    const { now, limits, root } = this.#options;
    const { expiresAt: credentialEnds = Infinity, session } = admitted;
    const { use } = purpose;
    if (session !== undefined)
      throw new PagewireError(
        "token-invalid",
        `Who signed in with a code cannot make others. Get one with: ${uses[use].command}`,
      );
    const secret = newSecret();
    const text = this.elsewhere?.nameHere(secret) ?? secret;
    const expiresAt = Math.min(now() + limits.codeTime, credentialEnds);
    const holder = holderOf(admitted);
    const code = { ...holder, use, purpose, root: root(use, holder), expiresAt, credentialEnds };
    this.#codes.set(digestOf(text), code);
    for (const key of this.#surplus(this.#codes, code, "codesPerPrincipal")) this.#codes.delete(key);
    this.#record(code, "code-made", "credential");
    return { text, expiresAt };
  }

  /** Exchanges a code for a token; rejects a code that is unknown, expired, or for another use or origin. */
  async signIn(text: string, visit: Visit): Promise<SignedIn> {
    const { use, origin } = visit;
    const elsewhere = this.elsewhere?.signIn(text, visit);
    const signedIn = elsewhere && (await elsewhere);
    if (signedIn) return this.#signedInElsewhere(signedIn, use);
    const key = digestOf(text);
    const code = this.#codes.get(key);
    // Spent even when refused: a code presented at the wrong place has leaked.
    this.#codes.delete(key);
    if (!this.#isGood(code) || code.use !== use) throw codeInvalid(use);
    const { purpose } = code;
    if (purpose.use === "app" || (origin !== undefined && purpose.isFor(origin))) return this.#begin(code, visit);
    throw notForHere(use, origin);
  }

  /** A token for an own page of a person who is signed in otherwise: the page signs, so that it is the user in person. */
  async open(holder: Holder & Required<Pick<Admitted, "expiresAt">>, visit: Visit): Promise<SignedIn> {
    const { expiresAt } = holder;
    const purpose = { use: "app", person: holderOf(holder) } as const;
    const root = this.#options.root("app", holder);
    return this.#begin({ ...holderOf(holder), use: "app", purpose, root, expiresAt, credentialEnds: expiresAt }, visit);
  }

  async spendCode(code: string): Promise<void> {
    await this.elsewhere?.signIn(code, undefined);
    this.#codes.delete(digestOf(code));
  }

  async verify(token: string, { use, origin }: Visit): Promise<Admitted> {
    const signed = parseSignedToken(token);
    const session = digestOf(signed?.token ?? token);
    const grant = this.#ended.has(session) ? undefined : await this.#sessions.find(session);
    if (!this.#isGood(grant) || grant.use !== use || !this.#isKeyHolder(grant, signed))
      throw new PagewireError(
        "token-expired",
        use === "browser" ? unpaired : "You are not signed in any more. Sign in again.",
      );
    if (use !== "app" && grant.origin !== origin) throw notForHere(use, origin);
    return this.#admitted(grant, session);
  }

  /** Ends the sign-in that a token belongs to. */
  async signOut({ principal, session }: Admitted): Promise<void> {
    if (session !== undefined) await this.remove(principal, session);
  }

  remove(principal: string, session: string): Promise<void> {
    return this.#end(principal, session, "user");
  }

  /** The grants of a use that are good, by their sessions. */
  async good(principal: string, use: Use): Promise<readonly (readonly [session: string, grant: Grant])[]> {
    return [...(await this.#sessions.of(principal))].filter(([, grant]) => grant.use === use && this.#isGood(grant));
  }

  /** Notes when a browser was seen. It is not told if that cannot be saved: the next time counts. */
  async saw({ principal, session = "" }: Admitted): Promise<void> {
    if (this.#ended.has(session)) return;
    const seenAt = this.#options.now();
    await this.#sessions.touch({ principal, key: session }, (grant) =>
      grant.paired ? { ...grant, paired: { ...grant.paired, seenAt } } : grant,
    );
  }

  isStillGood(admitted: Admitted): boolean {
    const { now, root, ownerRoot } = this.#options;
    const { principal, session, restsOn, expiresAt = Infinity } = admitted;
    if (session === undefined || restsOn === undefined || this.#ended.has(session)) return false;
    const known = this.#sessions.known(principal);
    // The owner's key has changed.
    if (admitted.isOwner && known?.get(session)?.owner !== ownerRoot()) return false;
    // So may its second token have been revoked.
    if (admitted.inPerson && !this.#isInPerson(known?.get(session))) return false;
    if (known) return this.#isGood(known.get(session));
    return expiresAt > now() && (restsOn === root("app", admitted) || restsOn === root("shell", admitted));
  }

  #admitted(grant: Grant, session: string): Admitted {
    const isOwner = grant.owner !== undefined && grant.owner === this.#options.ownerRoot();
    const inPerson = this.#isInPerson(grant);
    return { ...admittedBy(grant, session), ...(isOwner ? { isOwner } : {}), ...(inPerson ? { inPerson } : {}) };
  }

  /** The token that showed that it is the user in person may have been revoked. */
  #isInPerson(grant: Grant | undefined): boolean {
    if (grant?.person === undefined) return false;
    const { principal, personToken: tokenId, person } = grant;
    return person === this.#options.root("app", holderOf({ principal, tokenId, allowed: undefined }));
  }

  #isGood<Any extends Omit<Grant, "origin">>(grant: Any | undefined): grant is Any {
    const { now, root } = this.#options;
    return grant !== undefined && grant.expiresAt > now() && grant.root === root(grant.use, grant);
  }

  #isKeyHolder({ key, origin = "", use }: Grant, signed: SignedToken | undefined): boolean {
    const { isOwn, keys } = this.#options;
    if (key === undefined) return true;
    return signed !== undefined && (use !== "app" || isOwn(origin)) && keys.isSigned(signed, key, origin);
  }

  /** Expired grants, and the oldest grants of this principal and use beyond the budget. */
  #surplus(
    grants: ReadonlyMap<string, Omit<Grant, "origin">>,
    { principal, use }: Pick<Grant, "principal" | "use">,
    budget: "codesPerPrincipal" | SessionBudget,
  ): readonly string[] {
    const { now, limits, onOver } = this.#options;
    const expired = [...grants].filter(([, grant]) => grant.expiresAt <= now());
    const own = [...grants].filter(
      ([, grant]) => grant.expiresAt > now() && grant.principal === principal && grant.use === use,
    );
    const oldest = own.slice(0, Math.max(0, own.length - limits[budget]));
    for (const _ of oldest) onOver?.(budget);
    return [...expired, ...oldest].map(([key]) => key);
  }

  async #begin(code: Code, { origin, key: pageKey, name }: Visit): Promise<SignedIn> {
    const { ownerRoot } = this.#options;
    const { principal, use, root, purpose } = code;
    const text = `${uses[use].prefix}${newSecret()}`;
    const key = digestOf(text);
    const expiresAt = this.#endOf(code);
    const isBound = use !== "app" || pageKey !== undefined;
    const where = {
      ...(isBound && origin !== undefined ? { origin } : {}),
      ...(pageKey === undefined ? {} : { key: pageKey }),
    };
    // A token that could be carried away from its page must not be the owner's.
    const owner = purpose.use === "app" && purpose.isOwners && where.key !== undefined ? ownerRoot() : undefined;
    const person = purpose.use === "app" && where.key !== undefined ? purpose.person : undefined;
    const all = await this.#sessions.of(principal);
    const paired = name === undefined ? undefined : this.#pairingOf(name, all);
    const grant = {
      ...{ ...holderOf(code), use, ...where, root, expiresAt },
      ...(owner === undefined ? {} : { owner }),
      ...(person && { person: this.#options.root("app", person), personToken: person.tokenId }),
      ...(paired && { paired }),
    };
    await this.#sessions.save({ principal, key, value: grant });
    // The token is valid even if evicting the oldest sign-ins is not saved yet.
    for (const each of this.#surplus(
      all,
      grant,
      use === "browser" ? "browsersPerPrincipal" : "appSessionsPerPrincipal",
    ))
      await this.#end(principal, each, "room").catch(() => {});
    this.#record(grant, "signed-in", "code");
    return { text, expiresAt, admitted: this.#admitted(grant, key) };
  }

  /**
   * A pairing outlives the credential that asked for its code. Where that one ends by itself, in jwt mode, a pairing lasts as
   * long as the longest of them may, so that no revocation is forgotten before it.
   */
  #endOf({ use, credentialEnds }: Code): number {
    const { now, limits } = this.#options;
    if (use !== "browser") return Math.min(now() + limits.appSessionTime, credentialEnds);
    return credentialEnds === Infinity ? Infinity : now() + limits.tokenTime;
  }

  /** The other hub has saved the sign-in, in the store of both. */
  async #signedInElsewhere(pass: Pass, use: Use): Promise<SignedIn> {
    const key = digestOf(pass.text);
    const grant = await this.#sessions.find(key);
    if (!grant) throw codeInvalid(use);
    return { ...pass, admitted: this.#admitted(grant, key) };
  }

  /** No two browsers have the same name. */
  #pairingOf(given: string, all: ReadonlyMap<string, Grant>): Pairing {
    const at = this.#options.now();
    const taken = new Set([...all.values()].flatMap((grant) => (this.#isGood(grant) && grant.paired?.name) || []));
    let name = given;
    for (let count = 2; taken.has(name); count++) name = `${given.slice(0, browserNameMost - 4)} ${count}`;
    return { name, at, seenAt: at };
  }

  /** Takes effect at once; rejects if it is not saved yet. */
  async #end(principal: string, key: string, decidedBy: "user" | "room"): Promise<void> {
    const known = this.#sessions.known(principal);
    if (this.#ended.has(key) || known?.has(key) === false) return;
    this.#noteEnded(key);
    this.#record({ use: "app", ...known?.get(key), principal }, "signed-out", decidedBy);
    const held = this.#sessions.hold({ principal, key, value: undefined });
    this.#options.onEnded();
    await held;
  }

  #noteEnded(session: string): void {
    this.#ended.add(session);
    for (const oldest of this.#ended) if (this.#ended.size > maxEnded) this.#ended.delete(oldest);
  }

  #record(grant: Pick<Grant, "principal" | "use" | "origin">, outcome: string, decidedBy: string): void {
    const { principal, use: name, origin } = grant;
    this.#options.record({ kind: "sign-in", principal, name, origin, outcome, decidedBy });
  }
}

function codeInvalid(use: Use): PagewireError {
  return new PagewireError(
    "code-invalid",
    `This code is not good any more: each is good once, and for a short time. Get a new one with: ${uses[use].command}`,
  );
}

/** Why a browser's token is refused. */
export const unpaired = `This browser is not paired with the hub any more: it was removed, or the token of the hub was changed. Pair it again with: ${uses.browser.command}`;

function notForHere(use: Use, origin: string | undefined): PagewireError {
  if (use === "browser")
    return new PagewireError(
      "token-invalid",
      `This is not for ${origin ?? "programs"}, but for the extension of a browser. Pair this one with: ${uses.browser.command}`,
    );
  const where = origin === undefined ? "programs" : `pages of ${origin}`;
  const command = `${uses.shell.command}${origin === undefined ? "" : ` --for ${origin}`}`;
  return new PagewireError("token-invalid", `This is not for ${where}. Get a code that is with: ${command}`);
}
