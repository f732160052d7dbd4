// Keys of service accounts and of people. All are in memory, so that a key is verified without the store and its removal is in
// force at once. Of a key only the digest is kept; it has 256 random bits.
import { timingSafeEqual } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { PagewireError } from "../../wire/index.ts";
import type { Limits } from "../../wire/index.ts";
import { Shares } from "../common/shares.ts";
import { digestOf, newSecret } from "../guard/grant.ts";
import type { Admitted } from "../identity/admitted.ts";
import { changeRecord, createPrincipalRecords } from "../store/index.ts";
import type { Later, PrincipalRecords, RecordStore } from "../store/index.ts";
import { organisationOf } from "../common/principals.ts";
import { keyTokenId } from "./people/check-is-person.ts";
import { createKeyUses } from "./key-uses.ts";
import type { KeyUses } from "./key-uses.ts";
import { parseKeyHolder, recordOf } from "./key-record.ts";
import type { Key, KeyHolder } from "./key-record.ts";

export interface KeysOptions {
  readonly store: RecordStore;
  readonly later: Later;
  readonly limits: Limits;
  readonly now: () => number;
  readonly onNotSaved: () => void;
  /** Called after a key has ended. */
  readonly onEnded: () => void;
}

/** A key, with the only text of it that there ever is. */
interface DrawnKey {
  readonly text: string;
  readonly key: Key;
}

/** A new key: the only time that it can be read. */
export interface NewKey {
  readonly key: string;
  readonly expiresAt: number;
}

const kind = "services";
const prefix = "pagewire-key.";
const keyForm = /^pagewire-key\.([\w-]{16})\.([\w-]{43})$/;

export function isKey(token: string): boolean {
  return token.startsWith(prefix);
}

export class Keys {
  readonly #options: KeysOptions;
  /** By id, which is a digest of the principal. */
  readonly #records: PrincipalRecords<KeyHolder>;
  readonly #uses: KeyUses;
  /** Questions to the store about keys that are not known here. */
  readonly #shares = new Shares({ refusal: tooMany });
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: KeysOptions) {
    const { store, later, onNotSaved, limits, now } = options;
    this.#options = options;
    this.#uses = createKeyUses(store, now);
    this.#records = createPrincipalRecords<KeyHolder>({
      ...{ store, later, onNotSaved, kind },
      toRecord: recordOf,
      parse: (_, record) => parseKeyHolder(record, limits),
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

  /** Admits the holder of a key that an address brought. */
  async admit(token: string, client = ""): Promise<Admitted> {
    const [, id = "", secret = ""] = keyForm.exec(token) ?? [];
    const digest = digestOf(secret);
    // Another hub may have made it just now.
    if (id !== "" && !keyIn(this.#all().get(id), digest)) await this.#shares.run(client, () => this.#look(id));
    const holder = this.#all().get(id);
    const key = keyIn(holder, digest);
    if (!holder || !key) throw new PagewireError("token-invalid", "This is no key of this hub, or none any more.");
    if (key.expiresAt <= this.#options.now())
      throw new PagewireError("token-expired", "This key has expired. Use a new one.");
    const { whose, allowed } = holder;
    this.#uses.note(whose, key.digest);
    return {
      principal: whose,
      ...{ credential: tokenIdOf(id, key), tokenId: tokenIdOf(id, key) },
      ...{ issuedAt: key.madeAt, expiresAt: key.expiresAt, scopes: key.scopes ?? holder.scopes },
      ...(allowed && { allowed }),
    };
  }

  /** Whether this is the id of a key that is not good any more. */
  isEnded(tokenId: string): boolean {
    const [, id, mark] = keyTokenId.exec(tokenId) ?? [];
    if (id === undefined) return false;
    const key = this.#all()
      .get(id)
      ?.keys.find((each) => keyIdOf(each) === mark);
    return key === undefined || key.expiresAt <= this.#options.now();
  }

  /** All with keys in an organisation. */
  of(organisation: string): readonly KeyHolder[] {
    return [...this.#all().values()].filter(({ whose }) => organisationOf(whose) === organisation);
  }

  find(whose: string): KeyHolder | undefined {
    return this.#all().get(idOf(whose));
  }

  /** The keys that have not expired, with ids that are no secrets, and when each was last used. */
  async shown({ whose, keys }: KeyHolder) {
    const used = await this.#uses.of(whose);
    const good = keys.filter(({ expiresAt }) => expiresAt > this.#options.now());
    return good.map(({ digest, ...key }) => ({ id: keyIdOf({ digest }), ...key, usedAt: used.get(digest) }));
  }

  /** A new key, which is good once `change` has added it. */
  draw(whose: string, about: Omit<Key, "digest" | "madeAt">): DrawnKey {
    const secret = newSecret();
    const text = `${prefix}${idOf(whose)}.${secret}`;
    return { text, key: { ...about, digest: digestOf(secret), madeAt: this.#options.now() } };
  }

  /** Changes a holder as the store has it, unless it was removed meanwhile. Resolves with the one changed, if there is one. */
  async change(
    whose: string,
    change: (before: KeyHolder | undefined) => Omit<KeyHolder, "principal" | "whose"> | undefined,
  ): Promise<KeyHolder | undefined> {
    const { store, limits } = this.#options;
    const id = idOf(whose);
    const known = await this.#records.find(id);
    let before: KeyHolder | undefined;
    let value: KeyHolder | undefined;
    let isUnknown = false;
    await changeRecord(store, { kind, key: id }, (record) => {
      isUnknown = record !== undefined && !known;
      before = record && parseKeyHolder(record, limits);
      const changed = isUnknown ? undefined : change(before);
      value = changed && { ...changed, principal: "", whose };
      return value && recordOf(value);
    });
    // It was made just now, or its removal here is not saved yet.
    if (isUnknown) return (await this.#records.find(id)) && this.change(whose, change);
    if (!value || (known && !this.find(whose))) return undefined;
    this.#records.note({ key: id, principal: "", value });
    this.#changed();
    this.#forgetUses(before, value);
    return value;
  }

  /** Ends all keys of a holder, at once; rejects if that is not saved yet. Undefined if there is no such holder. */
  remove(whose: string): Promise<void> | undefined {
    const before = this.find(whose);
    if (!before) return undefined;
    const held = this.#records.hold({ key: idOf(whose), principal: "", value: undefined });
    this.#changed();
    this.#forgetUses(before, undefined);
    return held;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #forgetUses(before: KeyHolder | undefined, after: KeyHolder | undefined): void {
    for (const { digest } of before?.keys ?? []) if (!keyIn(after, digest)) this.#uses.forget(digest);
  }

  /** Takes a holder's keys as the store has them. */
  async #look(id: string): Promise<void> {
    const { store, limits } = this.#options;
    try {
      const known = await this.#records.find(id);
      const record = known && (await store.record(kind, id));
      const value = record && parseKeyHolder(record, limits);
      // A removal that is not saved yet holds.
      if (!value || !this.#all().has(id) || isDeepStrictEqual(value, this.#all().get(id))) return;
      this.#records.note({ key: id, principal: "", value });
      this.#changed();
    } catch (cause) {
      throw unreadable(cause);
    }
  }

  #all(): ReadonlyMap<string, KeyHolder> {
    const all = this.#records.known("");
    if (all) return all;
    throw unreadable();
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

function keyIn(holder: KeyHolder | undefined, digest: string): Key | undefined {
  return holder?.keys.find((each) => timingSafeEqual(Buffer.from(each.digest), Buffer.from(digest)));
}

function unreadable(cause?: unknown): PagewireError {
  const message = "The hub cannot read its keys at the moment. Try again in a while.";
  return new PagewireError("not-saved", message, { retryAfter: 5000, cause });
}

function tooMany(): PagewireError {
  const message = "Too many keys that this hub does not know come from your address. Try again in a second.";
  return new PagewireError("requests-too-many", message, { retryAfter: 1000 });
}

const longestTimer = 2 ** 31 - 1;

function idOf(whose: string): string {
  return digestOf(whose).slice(0, 16);
}

/** A fingerprint of a key, which is no secret. */
export function keyIdOf({ digest }: Pick<Key, "digest">): string {
  return digest.slice(0, 12);
}

function tokenIdOf(id: string, key: Key): string {
  return `key ${id} ${keyIdOf(key)}`;
}
