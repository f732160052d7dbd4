// The people who are signed in, in the store: listed, and ended at once at all hubs. What pages and programs get of a sign-in
// carries its id as `tokenId`, and is good no longer than it. Of a cookie only the digest is kept.
import { digestOf, newSecret } from "../../guard/grant.ts";
import type { Audit } from "../../audit/audit.ts";
import { createPrincipalRecords } from "../../store/index.ts";
import type { Later, PrincipalRecords, RecordStore, StoredRecord } from "../../store/index.ts";
import type { Limits, OnOver } from "../../../wire/index.ts";
import type { Access } from "../people/access.ts";
import type { Seal } from "../../common/seal.ts";
import { namesOf, parseSignIn } from "./sign-in-records.ts";
import type { NewSignIn, SignIn } from "./sign-in-records.ts";
import type { Tokens } from "./identity-client.ts";

/** Why a sign-in ended: its person did it, the provider, an admin, or the provider does not answer for it any more. */
export type EndedBy = "user" | "provider" | "admin" | "room" | "claims";

export interface SignInsOptions {
  readonly store: RecordStore;
  readonly later: Later;
  readonly limits: Pick<Limits, "appSessionTime" | "appSessionsPerPrincipal">;
  readonly seal: Seal;
  readonly access: Pick<Access, "refusedBefore">;
  readonly now: () => number;
  readonly record: Audit["record"];
  readonly onNotSaved: () => void;
  readonly onOver?: OnOver;
  /** Called after one has ended. */
  readonly onEnded: () => void;
}

/** Max sign-ins whose changes could not be saved yet. */
const maxUnsaved = 10_000;

interface Unsaved {
  readonly taken: SignIn;
  readonly changed: Partial<SignIn>;
}

/** Max ended sign-ins that count as ended even if their principal's records are not in memory. */
const maxEnded = 1000;

export class SignIns {
  readonly #options: SignInsOptions;
  readonly #records: PrincipalRecords<SignIn>;
  readonly #ended = new Set<string>();
  /** The sign-ins used since the last `takeUsed`, with their principals. */
  readonly #used = new Map<string, string>();
  /** Sign-ins that are not saved yet. A refresh token may be good only once, so its successor must not be lost. */
  readonly #unsaved = new Map<string, Unsaved>();

  constructor(options: SignInsOptions) {
    const { store, later, onNotSaved, onEnded } = options;
    this.#options = options;
    this.#records = createPrincipalRecords({
      ...{ store, later, onNotSaved, kind: "sign-ins" },
      parse: (_, record) => parseSignIn(record),
      toRecord: (signIn: SignIn) => ({ ...signIn, forgetAt: signIn.expiresAt }) as StoredRecord,
      onReread: (principal, before) => {
        const after = this.#records.known(principal);
        if ([...before.keys()].some((id) => !after?.has(id))) onEnded();
      },
    });
    store.onChanged?.((change) => {
      if (change?.kind !== "sign-ins" || change.principal !== undefined) return;
      this.#noteEnded(change.key);
      onEnded();
    });
  }

  /** Signs a person in; returns the cookie, which is not kept. */
  async begin({ tokens, ...given }: NewSignIn): Promise<{ readonly cookie: string; readonly signIn: SignIn }> {
    const { now, limits, seal, store, record } = this.#options;
    const { principal } = given;
    const cookie = newSecret();
    const id = digestOf(cookie);
    const at = now();
    const times = { at, checkedAt: at, expiresAt: Math.min(at + limits.appSessionTime, tokens.until ?? Infinity) };
    const signIn = { ...given, ...times, id, sealed: seal.seal(JSON.stringify(tokens), id) };
    const names = namesOf(signIn).map(([key, name]) =>
      store.setRecord("sign-in-names", key, { ...name, forgetAt: signIn.expiresAt }),
    );
    // Before the sign-in itself: a logout of the provider must find it.
    await Promise.all(names);
    await this.#records.save({ key: id, principal, value: signIn });
    for (const oldest of await this.#surplus(principal)) await this.end(oldest, "room").catch(() => {});
    record({ ...about(signIn), outcome: "signed-in", decidedBy: "provider" });
    return { cookie, signIn };
  }

  /** The sign-in of a cookie. */
  async find(cookie: string | undefined): Promise<SignIn | undefined> {
    const id = cookie === undefined ? "" : digestOf(cookie);
    const found = id === "" || this.#ended.has(id) ? undefined : await this.#records.find(id);
    return found && this.#isGood(found) ? found : undefined;
  }

  /** The good sign-ins of a principal, the newest last. */
  async list(principal: string): Promise<readonly SignIn[]> {
    const all = [...(await this.#records.of(principal)).values()];
    return all.filter((each) => this.#isGood(each)).sort((one, other) => one.at - other.at);
  }

  /** Takes effect at once; rejects if it is not saved yet. */
  async end({ id, principal, ...signIn }: SignIn, decidedBy: EndedBy): Promise<void> {
    if (this.#ended.has(id) || this.#records.known(principal)?.has(id) === false) return;
    this.#noteEnded(id);
    this.#options.record({ ...about({ id, principal, ...signIn }), outcome: "signed-out", decidedBy });
    const held = this.#records.hold({ key: id, principal, value: undefined });
    this.#options.onEnded();
    await held;
  }

  async endAll(principal: string, decidedBy: EndedBy): Promise<void> {
    await Promise.all((await this.list(principal)).map((each) => this.end(each, decidedBy)));
  }

  /** The sign-ins that a provider knows by a session of its own or, made before a time, by a subject. */
  async named({ provider, sid, subject, before }: NamedSignIns): Promise<readonly SignIn[]> {
    const name = sid === undefined ? { provider, subject: subject ?? "" } : { provider, sid };
    const [group = ""] = namesOf({ ...name, principal: "" }).map(([, { principal }]) => principal);
    const rows = await this.#options.store.records("sign-in-names", group);
    const people = [...rows.values()].flatMap(({ person }) => (typeof person === "string" ? [person] : []));
    const all = await Promise.all(people.map((person) => this.list(person)));
    return all.flat().filter((each) => {
      if (each.provider !== provider || (subject !== undefined && each.subject !== subject)) return false;
      return sid === undefined ? each.at <= before : each.sid === sid;
    });
  }

  /** Whether what rests on a sign-in has ended with it, as far as this hub knows without asking the store. It is used by that. */
  hasEnded(principal: string, id: string): boolean {
    this.#used.set(id, principal);
    const known = this.#records.known(principal);
    const signIn = known?.get(id);
    return this.#ended.has(id) || (known !== undefined && (signIn === undefined || !this.#isGood(signIn)));
  }

  /** One by its id, also if this hub did not have it in memory. */
  async get(principal: string, id: string): Promise<SignIn | undefined> {
    const found = (await this.#records.of(principal)).get(id);
    return found && this.#isGood(found) ? found : undefined;
  }

  /** The sign-ins used since the last call of this. */
  async takeUsed(): Promise<readonly SignIn[]> {
    const used = [...this.#used];
    this.#used.clear();
    const found = await Promise.all(used.map(([id, principal]) => this.get(principal, id)));
    return found.filter((each) => each !== undefined);
  }

  /** Changes one; returns it, or undefined if it was changed or ended meanwhile. */
  async change({ id, principal }: SignIn, change: (signIn: SignIn) => SignIn | undefined): Promise<SignIn | undefined> {
    const unsaved = this.#unsaved.get(id);
    const value = await this.#records.touch({ key: id, principal }, (kept) => change(newest(kept, unsaved)));
    if (value) this.#forget(unsaved);
    // The cached one may be from before another hub asked.
    if (value && !this.#ended.has(id)) this.#records.note({ key: id, principal, value });
    return value;
  }

  /** Changes one about which this hub asks. What cannot be saved holds here, and is saved later unless another hub asks then. */
  async keep(taken: SignIn, changed: Partial<SignIn>): Promise<void> {
    const { later, onNotSaved } = this.#options;
    const unsaved = { taken, changed: { ...this.#unsaved.get(taken.id)?.changed, ...changed } };
    this.#unsaved.set(taken.id, unsaved);
    for (const oldest of this.#unsaved.keys()) if (this.#unsaved.size > maxUnsaved) this.#unsaved.delete(oldest);
    await this.#save(unsaved).catch(() => {
      later.add(this.#saveAll);
      onNotSaved();
    });
  }

  async #save(unsaved: Unsaved): Promise<void> {
    await this.change(unsaved.taken, (signIn) => signIn);
    this.#forget(unsaved);
  }

  /** One function, so that it is queued once. */
  readonly #saveAll = async (): Promise<void> => {
    for (const unsaved of this.#unsaved.values()) await this.#save(unsaved);
  };

  #forget(unsaved: Unsaved | undefined): void {
    if (unsaved && this.#unsaved.get(unsaved.taken.id) === unsaved) this.#unsaved.delete(unsaved.taken.id);
  }

  tokensOf({ id, sealed }: SignIn): Tokens {
    const text = this.#options.seal.open(sealed, id);
    return text === undefined ? {} : (JSON.parse(text) as Tokens);
  }

  sealed({ id }: SignIn, tokens: Tokens): string {
    return this.#options.seal.seal(JSON.stringify(tokens), id);
  }

  #isGood({ id, principal, at, expiresAt }: SignIn): boolean {
    const { access, now } = this.#options;
    return !this.#ended.has(id) && expiresAt > now() && at >= (access.refusedBefore(principal) ?? 0);
  }

  async #surplus(principal: string): Promise<readonly SignIn[]> {
    const { limits, onOver } = this.#options;
    const all = await this.list(principal);
    const oldest = all.slice(0, Math.max(0, all.length - limits.appSessionsPerPrincipal));
    for (const _ of oldest) onOver?.("appSessionsPerPrincipal");
    return oldest;
  }

  #noteEnded(id: string): void {
    this.#ended.add(id);
    for (const oldest of this.#ended) if (this.#ended.size > maxEnded) this.#ended.delete(oldest);
  }
}

/** Another hub that asks has taken tokens of its own. */
function newest(kept: SignIn, { taken, changed }: Partial<Unsaved> = {}): SignIn {
  return kept.askingUntil === taken?.askingUntil ? { ...kept, ...changed } : kept;
}

export interface NamedSignIns {
  readonly provider: string;
  readonly sid?: string | undefined;
  readonly subject?: string | undefined;
  readonly before: number;
}

function about({ principal, provider, id }: SignIn) {
  return { kind: "sign-in", principal, name: provider, details: { session: id.slice(0, 8) } } as const;
}
