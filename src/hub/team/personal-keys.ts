// Keys that people make for their own agents, where their identity provider gives no tokens for the hub.
import { PagewireError } from "../../wire/index.ts";
import type { Admitted } from "../identity/admitted.ts";
import type { Scope } from "../identity/scopes.ts";
import type { Access } from "./people/access.ts";
import type { People } from "./people/people.ts";
import { serviceNameOf } from "../common/principals.ts";
import type { Key } from "./key-record.ts";
import { keyIdOf } from "./keys.ts";
import type { Keys, NewKey } from "./keys.ts";

export interface PersonalKeysOptions {
  readonly keys: Keys;
  readonly people: Pick<People, "load">;
  readonly access: Pick<Access, "refusedBefore">;
  readonly now: () => number;
  /** How old what a provider said of a person may be, in milliseconds. */
  readonly maxClaimsAge: number;
}

interface NewPersonalKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number;
}

const mostKeys = 20;

export class PersonalKeys {
  readonly #options: PersonalKeysOptions;

  constructor(options: PersonalKeysOptions) {
    this.#options = options;
  }

  /** Admits the person of a key for as long as what was last known of them counts: no provider is asked about a key. */
  async admit(admitted: Admitted): Promise<Admitted> {
    const { people, now, maxClaimsAge } = this.#options;
    const person = await people.load(admitted.principal);
    const until = (person?.claimedAt ?? 0) + maxClaimsAge;
    if (until <= now()) throw new PagewireError("token-expired", signInAgain);
    return { ...admitted, expiresAt: Math.min(until, admitted.expiresAt ?? Infinity) };
  }

  /** The newest last. */
  async list(person: string) {
    const holder = this.#options.keys.find(person);
    if (!holder || serviceNameOf(person) !== undefined) return [];
    return this.#options.keys.shown({ ...holder, keys: this.#good(person, holder.keys) });
  }

  async make(person: string, about: NewPersonalKey): Promise<NewKey & { readonly id: string }> {
    const { keys } = this.#options;
    const { text, key } = keys.draw(person, about);
    const made = await keys.change(person, (before) => {
      const kept = this.#good(person, before?.keys ?? []);
      if (kept.length >= mostKeys)
        throw new PagewireError("option-refused", `You have ${mostKeys} keys. Remove one that is not used.`);
      return { scopes: [], madeBy: person, madeAt: before?.madeAt ?? key.madeAt, keys: [...kept, key] };
    });
    if (!made) throw new PagewireError("token-expired", "Your keys were ended meanwhile. Sign in again.");
    return { id: keyIdOf(key), key: text, expiresAt: key.expiresAt };
  }

  /** Ends a key with what it began. Resolves with whether there was one; rejects if that cannot be saved, and the key goes on. */
  async remove(person: string, id: string): Promise<boolean> {
    const removed = this.#options.keys.change(person, (before) => {
      const kept = before?.keys.filter((key) => keyIdOf(key) !== id) ?? [];
      return before && kept.length < before.keys.length ? { ...before, keys: kept } : undefined;
    });
    const changed = await removed.catch((cause: unknown) => {
      throw new PagewireError("not-saved", notRemoved, { retryAfter: 5000, cause });
    });
    return changed !== undefined;
  }

  /** Ends all keys of a person, at once; rejects if that is not saved yet. */
  async removeAll(person: string): Promise<void> {
    await this.#options.keys.remove(person);
  }

  #good(person: string, all: readonly Key[]): readonly Key[] {
    const { access, now } = this.#options;
    const since = access.refusedBefore(person) ?? 0;
    return all.filter(({ madeAt, expiresAt }) => expiresAt > now() && madeAt >= since);
  }
}

const signInAgain =
  "Your identity provider has said nothing about you for a long time. Sign in to the hub again, and this key goes on.";
const notRemoved = "The key is not removed and still good, because the hub cannot save that now. Try again in a while.";
