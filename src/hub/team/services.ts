// Service accounts of organisations, and their keys. All are in memory, so that a key is verified without the store and its
// removal is in force at once. Of a key only the digest is kept; it has 256 random bits.
import { timingSafeEqual } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { PagewireError } from "../../wire/index.ts";
import type { Limits } from "../../wire/index.ts";
import { digestOf, newSecret } from "../guard/grant.ts";
import type { Admitted } from "../identity/admitted.ts";
import type { Scope } from "../identity/scopes.ts";
import { changeRecord, createPrincipalRecords } from "../store/index.ts";
import type { Later, PrincipalRecords, RecordStore } from "../store/index.ts";
import { serviceOf } from "./people/principals.ts";
import { createKeyUses } from "./key-uses.ts";
import type { KeyUses } from "./key-uses.ts";
import { parseService, recordOf } from "./service-record.ts";
import type { Service, ServiceKey } from "./service-record.ts";

export interface ServicesOptions {
  readonly store: RecordStore;
  readonly later: Later;
  readonly limits: Limits;
  readonly now: () => number;
  readonly onNotSaved: () => void;
  /** Called after a key has ended. */
  readonly onEnded: () => void;
}

export interface NewService extends Pick<Service, "name" | "allowed" | "madeBy"> {
  readonly scopes: readonly Scope[];
  readonly expiresAt: number;
}

/** A new key: the only time that it can be read. */
export interface NewKey {
  readonly key: string;
  readonly expiresAt: number;
}

const mostServices = 100;
/** Max keys of one service account: the last, and those before it that are still good. */
const mostKeys = 5;

const prefix = "pagewire-key.";
const keyForm = /^pagewire-key\.([\w-]{16})\.([\w-]{43})$/;

export function isServiceKey(token: string): boolean {
  return token.startsWith(prefix);
}

export class Services {
  readonly #options: ServicesOptions;
  /** By id, which is a digest of its principal. */
  readonly #records: PrincipalRecords<Service>;
  readonly #uses: KeyUses;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ServicesOptions) {
    const { store, later, onNotSaved, limits, now } = options;
    this.#options = options;
    this.#uses = createKeyUses(store, now);
    this.#records = createPrincipalRecords<Service>({
      ...{ store, later, onNotSaved },
      kind: "services",
      toRecord: recordOf,
      parse: (_, record) => parseService(record, limits),
      onReread: (_, before) => {
        if (!isDeepStrictEqual(before, this.#records.known(""))) this.#changed();
      },
    });
  }

  async load(): Promise<void> {
    await this.#records.of("");
    this.#plan();
  }

  /** In case that a message of another hub was lost. */
  readAgain(): void {
    this.#records.readAgain("");
  }

  admit(token: string): Admitted {
    const [, id = "", secret = ""] = keyForm.exec(token) ?? [];
    const digest = Buffer.from(digestOf(secret));
    const service = this.#all().get(id);
    const key = service?.keys.find((each) => timingSafeEqual(Buffer.from(each.digest), digest));
    if (!service || !key)
      throw new PagewireError("token-invalid", "This is no key of a service account, or none any more.");
    if (key.expiresAt <= this.#options.now())
      throw new PagewireError("token-expired", "This key of a service account has expired. Use a new one.");
    this.#uses.note(service.organisation, key.digest);
    const { scopes, allowed } = service;
    return {
      principal: serviceOf(service.organisation, service.name),
      ...{ credential: tokenIdOf(id, key), tokenId: tokenIdOf(id, key) },
      ...{ issuedAt: key.madeAt, expiresAt: key.expiresAt, scopes },
      ...(allowed && { allowed }),
    };
  }

  /** Whether this is the id of a key that is not good any more. */
  isEnded(tokenId: string): boolean {
    const [, id, mark] = /^service-key (\S+) (\S+)$/.exec(tokenId) ?? [];
    if (id === undefined) return false;
    const key = this.#all()
      .get(id)
      ?.keys.find(({ digest }) => markOf(digest) === mark);
    return key === undefined || key.expiresAt <= this.#options.now();
  }

  /** An organisation's service accounts by name, with when each key was last used. */
  async list(organisation: string) {
    const used = await this.#uses.of(organisation);
    return this.#of(organisation)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((service) => ({
        ...service,
        keys: service.keys
          .filter(({ expiresAt }) => expiresAt > this.#options.now())
          .map((key) => ({
            id: markOf(key.digest),
            ...{ madeAt: key.madeAt, expiresAt: key.expiresAt, usedAt: used.get(key.digest) },
          })),
      }));
  }

  async make(organisation: string, made: NewService): Promise<NewKey> {
    const { name, scopes, allowed, madeBy, expiresAt } = made;
    const id = idOf(organisation, name);
    if (this.#all().has(id)) throw refused(`There is a service account "${name}" already. Give it a new key instead.`);
    if (this.#of(organisation).length >= mostServices)
      throw refused(`An organisation has at most ${mostServices} service accounts. Remove one that is not used.`);
    const { text, key } = this.#newKey(id, expiresAt);
    const service = { organisation, name, scopes, allowed, madeBy, madeAt: key.madeAt, keys: [key] };
    await this.#records.save({ key: id, principal: "", value: { principal: "", ...service } });
    return { key: text, expiresAt };
  }

  /** A new key; those before it are good for this time, in milliseconds. Undefined if there is no such service account. */
  async rotate(
    { organisation, name }: Pick<Service, "organisation" | "name">,
    { expiresAt, keepOldFor }: { readonly expiresAt: number; readonly keepOldFor: number },
  ): Promise<NewKey | undefined> {
    const { store, limits, now } = this.#options;
    const id = idOf(organisation, name);
    if (!(await this.#records.find(id))) return undefined;
    const { text, key } = this.#newKey(id, expiresAt);
    const end = now() + keepOldFor;
    let value: Service | undefined;
    await changeRecord(store, { kind: "services", key: id }, (before) => {
      const service = before && parseService(before, limits);
      const kept = (service?.keys ?? [])
        .map((old) => ({ ...old, expiresAt: Math.min(old.expiresAt, end) }))
        .filter((old) => old.expiresAt > now())
        .slice(1 - mostKeys);
      value = service && { ...service, keys: [...kept, key] };
      return value && recordOf(value);
    });
    // It may have been removed here meanwhile.
    if (!value || !this.#all().has(id)) return undefined;
    this.#records.note({ key: id, principal: "", value });
    this.#changed();
    return { key: text, expiresAt };
  }

  /** Ends a service account with its keys, at once; rejects if that is not saved yet. Undefined if there is none. */
  remove(organisation: string, name: string): Promise<void> | undefined {
    const id = idOf(organisation, name);
    if (!this.#all().has(id)) return undefined;
    const held = this.#records.hold({ key: id, principal: "", value: undefined });
    this.#changed();
    return held;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #newKey(id: string, expiresAt: number): { readonly text: string; readonly key: ServiceKey } {
    const secret = newSecret();
    return {
      text: `${prefix}${id}.${secret}`,
      key: { digest: digestOf(secret), madeAt: this.#options.now(), expiresAt },
    };
  }

  #of(organisation: string): readonly Service[] {
    return [...this.#all().values()].filter((service) => service.organisation === organisation);
  }

  #all(): ReadonlyMap<string, Service> {
    const all = this.#records.known("");
    if (all) return all;
    const message = "The hub cannot read its service accounts at the moment. Try again in a while.";
    throw new PagewireError("not-saved", message, { retryAfter: 5000 });
  }

  #changed(): void {
    this.#options.onEnded();
    this.#plan();
  }

  /** Everything that a key has begun ends with it, also where a later key ended it earlier than it said when it was used. */
  #plan(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const now = this.#options.now();
    let next = Infinity;
    for (const { keys } of this.#records.known("")?.values() ?? [])
      for (const { expiresAt } of keys) if (expiresAt > now) next = Math.min(next, expiresAt);
    if (next === Infinity) return;
    this.#timer = setTimeout(() => this.#changed(), Math.min(next - now, longestTimer));
    this.#timer.unref();
  }
}

const longestTimer = 2 ** 31 - 1;

function idOf(organisation: string, name: string): string {
  return digestOf(serviceOf(organisation, name)).slice(0, 16);
}

/** A fingerprint of a key, which is no secret. */
function markOf(digest: string): string {
  return digest.slice(0, 12);
}

function tokenIdOf(id: string, { digest }: ServiceKey): string {
  return `service-key ${id} ${markOf(digest)}`;
}

function refused(message: string): PagewireError {
  return new PagewireError("option-refused", message);
}
