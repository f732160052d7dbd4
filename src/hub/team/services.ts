// Service accounts of organisations.
import { PagewireError } from "../../wire/index.ts";
import { serviceNameOf, serviceOf } from "../common/principals.ts";
import type { KeyHolder } from "./key-record.ts";
import type { Keys, NewKey } from "./keys.ts";

export interface NewService extends Pick<KeyHolder, "allowed" | "madeBy" | "scopes"> {
  readonly name: string;
  readonly expiresAt: number;
}

interface Rotation {
  readonly expiresAt: number;
  /** How long the keys before the new one are good. */
  readonly keepOldFor: number;
}

const mostServices = 100;
/** Max keys of one service account that are good at a time. */
const mostKeys = 5;

export class Services {
  readonly #keys: Keys;
  readonly #now: () => number;

  constructor(keys: Keys, now: () => number) {
    this.#keys = keys;
    this.#now = now;
  }

  /** An organisation's service accounts by name, with when each key was last used. */
  async list(organisation: string) {
    const all = this.#of(organisation).map(async (service) => ({
      ...service,
      name: serviceNameOf(service.whose) ?? "",
      keys: await this.#keys.shown(service),
    }));
    return (await Promise.all(all)).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async make(organisation: string, { name, expiresAt, ...service }: NewService): Promise<NewKey> {
    const whose = serviceOf(organisation, name);
    const { text, key } = this.#keys.draw(whose, { expiresAt });
    const made = await this.#keys.change(whose, (before) => {
      if (before) throw taken(name);
      if (this.#of(organisation).length >= mostServices)
        throw refused(`An organisation has at most ${mostServices} service accounts. Remove one that is not used.`);
      return { ...service, madeAt: key.madeAt, keys: [key] };
    });
    // Its removal is not saved yet.
    if (!made) throw taken(name);
    return { key: text, expiresAt };
  }

  /** Undefined if there is no such service account. */
  async rotate(organisation: string, name: string, { expiresAt, keepOldFor }: Rotation): Promise<NewKey | undefined> {
    const whose = serviceOf(organisation, name);
    const now = this.#now();
    const { text, key } = this.#keys.draw(whose, { expiresAt });
    const changed = await this.#keys.change(whose, (service) => {
      const kept = (service?.keys ?? [])
        .map((old) => ({ ...old, expiresAt: Math.min(old.expiresAt, now + keepOldFor) }))
        .filter((old) => old.expiresAt > now);
      if (kept.length >= mostKeys)
        throw refused(`"${name}" has ${mostKeys} keys that are good. Wait until one ends, or leave out keepOldFor.`);
      return service && { ...service, keys: [...kept, key] };
    });
    return changed && { key: text, expiresAt };
  }

  /** Ends a service account with its keys, at once; rejects if that is not saved yet. Undefined if there is none. */
  remove(organisation: string, name: string): Promise<void> | undefined {
    return this.#keys.remove(serviceOf(organisation, name));
  }

  #of(organisation: string): readonly KeyHolder[] {
    return this.#keys.of(organisation).filter(({ whose }) => serviceNameOf(whose) !== undefined);
  }
}

function taken(name: string): PagewireError {
  return refused(`There is a service account "${name}" already. Give it a new key instead.`);
}

function refused(message: string): PagewireError {
  return new PagewireError("option-refused", message);
}
