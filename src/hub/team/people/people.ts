// The directory of people: what the newest claims said of each. Whoever asks about a person's groups asks here.
import { PagewireError } from "../../../wire/index.ts";
import { changeRecord } from "../../store/index.ts";
import type { Later, RecordStore } from "../../store/index.ts";
import { storedName } from "../../store/sql/schema.ts";
import { claimsDiffer, parsePerson, recordOf, shortened } from "./person-record.ts";
import type { Claims, Person } from "./person-record.ts";
import { organisationOf } from "../../common/principals.ts";

export type { Claims, Person } from "./person-record.ts";

export interface PeopleOptions {
  readonly store: RecordStore;
  readonly later: Later;
  readonly now: () => number;
  readonly onNotSaved: () => void;
  readonly maxKnown?: number;
  /** Called after a person's groups have changed. */
  readonly onChanged: () => void;
}

/** Min milliseconds between two writes of when a person was seen. */
const seenInterval = 10 * 60_000;

/** How many people are read again at a time. */
const pageSize = 500;

/** Max people in memory, more than a hub has sockets; those of the organisation with the most leave first. */
const mostKnown = 50_000;

export class People {
  readonly #options: PeopleOptions;
  /** By organisation and principal, the least recently seen first: no organisation takes the room of another. */
  readonly #known = new Map<string, Map<string, Person>>();
  /** The principals whose records are being read, by key. */
  readonly #reading = new Map<string, number>();
  #count = 0;

  constructor(options: PeopleOptions) {
    this.#options = options;
    options.store.onChanged?.((change) => {
      if (change && change.kind !== "people") return;
      if (change) this.#changedElsewhere(change.key, change.principal);
      else void this.#readAgain().catch(() => options.later.add(this.#readAgain));
    });
  }

  /** Must be awaited before `known` is asked about a principal: whenever it is let in. */
  async load(principal: string): Promise<Person | undefined> {
    const organisation = organisationOf(principal);
    if (organisation === undefined) return undefined;
    const person = this.known(principal) ?? (await this.#read(storedName(principal), organisation));
    if (person) this.#saw(person);
    return person;
  }

  /** Undefined for someone who was not let in here: such a one has no groups, and governs nothing. */
  known(principal: string): Person | undefined {
    return this.#known.get(organisationOf(principal) ?? "")?.get(principal);
  }

  /** The same, for a person whose credential is in use: they stay in memory. */
  inUse(principal: string): Person | undefined {
    const people = this.#known.get(organisationOf(principal) ?? "");
    const person = people?.get(principal);
    if (person) people?.delete(principal);
    if (person) people?.set(principal, person);
    return person;
  }

  /** Notes what a provider said about a person, unless something newer is known. */
  async note(principal: string, claims: Claims, claimedAt: number): Promise<void> {
    const organisation = organisationOf(principal);
    const before = await this.load(principal);
    if (organisation === undefined || (before && before.claimedAt > claimedAt)) return;
    // Somebody who never was let in is not kept.
    if (!before && claims.isMember === false) return;
    const now = this.#options.now();
    const isSaved = before !== undefined && now - before.seenAt < seenInterval;
    const seenAt = isSaved ? before.seenAt : now;
    const tokensHaveGroups = claims.tokensHaveGroups || before?.tokensHaveGroups;
    const person = {
      ...shortened({ ...claims, tokensHaveGroups }),
      id: principal,
      principal: organisation,
      claimedAt,
      seenAt,
    };
    this.#put(person);
    // The next claims are tried again.
    if (!isSaved || claimsDiffer(before, person)) await this.#save(person).catch(this.#options.onNotSaved);
  }

  /** A person of an organisation, from the store; undefined if the name was never there. */
  async find(organisation: string, principal: string): Promise<Person | undefined> {
    if (organisationOf(principal) !== organisation) return undefined;
    return this.known(principal) ?? this.#read(storedName(principal), organisation);
  }

  /** A page of an organisation's people; the next one, if there is one, is after `next`. */
  async list(organisation: string, { after, limit }: { readonly after?: string | undefined; readonly limit: number }) {
    const page = { after, limit: limit + 1 };
    const found = [...(await this.#options.store.recordsAfter("people", organisation, page))];
    const next = found.length > limit ? found[limit - 1]?.[0] : undefined;
    const people = found.slice(0, limit).flatMap(([, record]) => parsePerson(record) ?? []);
    return { people: people.map((person) => newest(this.known(person.id), person)), next };
  }

  #saw(person: Person): void {
    const seenAt = this.#options.now();
    const isDue = seenAt - person.seenAt >= seenInterval;
    if (!isDue) return;
    const seen = { ...person, seenAt };
    this.#put(seen);
    // Not awaited; if the write fails, a later time is noted.
    this.#save(seen).catch(() => {});
  }

  #changedElsewhere(key: string, organisation: string | undefined): void {
    const people = this.#known.get(organisation ?? "");
    const isKnown = people && (people.has(key) || [...people.keys()].some((id) => storedName(id) === key));
    if (organisation === undefined || !(isKnown || this.#reading.has(key))) return;
    this.#read(key, organisation).catch(() => this.#options.later.add(this.#readAgain));
  }

  async #read(key: string, organisation: string): Promise<Person | undefined> {
    this.#reading.set(key, (this.#reading.get(key) ?? 0) + 1);
    try {
      const record = await this.#options.store.record("people", key);
      const person = record && parsePerson(record);
      return person?.principal === organisation ? this.#adopt(person) : undefined;
    } finally {
      const left = (this.#reading.get(key) ?? 1) - 1;
      if (left > 0) this.#reading.set(key, left);
      else this.#reading.delete(key);
    }
  }

  /** One function, so that it is queued once. */
  readonly #readAgain = async (): Promise<void> => {
    for (const [organisation, known] of this.#known)
      for (let after: string | undefined, isLast = false; !isLast;) {
        const { people, next } = await this.list(organisation, { after, limit: pageSize });
        for (const person of people) if (known.has(person.id)) this.#adopt(person);
        [after, isLast] = [next, next === undefined];
      }
  };

  /** Takes what the store has, unless newer claims came here. */
  #adopt(person: Person): Person {
    const before = this.known(person.id);
    const after = newest(before, person);
    if (after !== before) this.#put(after);
    else if (claimsDiffer(before, person)) this.#save(after).catch(this.#options.onNotSaved);
    return after;
  }

  #put(person: Person): void {
    const { id, principal: organisation } = person;
    const people = this.#known.get(organisation) ?? new Map<string, Person>();
    const before = people.get(id);
    if (!before) this.#count++;
    people.delete(id);
    people.set(id, person);
    this.#known.set(organisation, people);
    if (this.#count > (this.#options.maxKnown ?? mostKnown)) this.#makeRoom();
    if (before && claimsDiffer(before, person)) this.#options.onChanged();
  }

  #makeRoom(): void {
    const [largest] = [...this.#known.values()].toSorted((a, b) => b.size - a.size);
    const [oldest] = largest?.keys() ?? [];
    if (oldest !== undefined && largest?.delete(oldest)) this.#count--;
  }

  async #save(person: Person): Promise<void> {
    const { store } = this.#options;
    const record = await changeRecord(store, { kind: "people", key: storedName(person.id) }, (before) => {
      const kept = before && parsePerson(before);
      return kept && kept.claimedAt > person.claimedAt ? undefined : recordOf(person);
    });
    const kept = record && parsePerson(record);
    if (kept) this.#adopt(kept);
  }
}

function newest(here: Person | undefined, stored: Person): Person {
  return here && here.claimedAt > stored.claimedAt ? here : stored;
}

/** The answer about those of other organisations, too: who asks does not learn that they exist. */
export function noSuchPrincipal(): PagewireError {
  return new PagewireError("route-not-found", "There is nobody by this name in your organisation.");
}
