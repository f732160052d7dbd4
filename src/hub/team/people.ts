// The directory of people: what the newest claims said of each. Whoever asks about a person's groups asks here.
import { createPrincipalRecords } from "../store/index.ts";
import type { Later, PrincipalRecords, RecordStore, StoredRecord } from "../store/index.ts";
import { organisationOf } from "./principals.ts";

export interface Claims {
  readonly groups: readonly string[];
  readonly isAdmin: boolean;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

export interface Person extends Claims {
  readonly id: string;
  /** The organisation, which owns the record. */
  readonly principal: string;
  /** When the claims were made, in milliseconds since 1970. */
  readonly claimedAt: number;
  readonly isBlocked?: boolean;
}

export interface PeopleOptions {
  readonly store: RecordStore;
  readonly later: Later;
  readonly onNotSaved: () => void;
  /** Called after somebody's groups or access have changed. */
  readonly onChanged: () => void;
}

export class People {
  readonly #records: PrincipalRecords<Person>;
  readonly #onChanged: () => void;

  constructor({ onChanged, ...options }: PeopleOptions) {
    this.#onChanged = onChanged;
    this.#records = createPrincipalRecords({
      ...options,
      kind: "people",
      toRecord: (person) => JSON.parse(JSON.stringify(person)) as StoredRecord,
      parse: parsePerson,
      onReread: onChanged,
    });
  }

  /** Must be awaited before `known` is asked about a principal. */
  async load(principal: string): Promise<Person | undefined> {
    const organisation = organisationOf(principal);
    if (organisation === undefined) return undefined;
    await this.#records.of(organisation);
    return this.known(principal);
  }

  known(principal: string): Person | undefined {
    return this.#records.known(organisationOf(principal) ?? "")?.get(principal);
  }

  /** Notes what a provider said about a person, unless something newer is known. */
  async note(principal: string, claims: Claims, claimedAt: number): Promise<void> {
    const organisation = organisationOf(principal);
    const before = await this.load(principal);
    if (organisation === undefined || (before && before.claimedAt >= claimedAt)) return;
    const person = { ...before, ...claims, id: principal, principal: organisation, claimedAt };
    await this.#records.hold({ key: principal, principal: organisation, value: person }).catch(() => {});
    this.#onChanged();
  }
}

function parsePerson(id: string, record: StoredRecord): Person | undefined {
  const { principal, groups, isAdmin, name, email, claimedAt, isBlocked } = record;
  if (!Array.isArray(groups) || typeof claimedAt !== "number") return undefined;
  return {
    ...{ id, principal, claimedAt, isAdmin: isAdmin === true },
    groups: groups.filter((group): group is string => typeof group === "string"),
    ...(typeof name === "string" && { name }),
    ...(typeof email === "string" && { email }),
    ...(isBlocked === true && { isBlocked }),
  };
}
