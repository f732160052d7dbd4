// The settings that an organisation's administrators made, each by its name: in force at all hubs at once.
import { PagewireError, isJsonObject } from "../../wire/index.ts";
import type { JsonObject } from "../../wire/index.ts";
import { changeRecord, createPrincipalRecords } from "../store/index.ts";
import type { Later, PrincipalRecords, RecordStore, StoredRecord } from "../store/index.ts";

export interface OrganisationSettingsOptions {
  readonly store: RecordStore;
  readonly later: Later;
  readonly onNotSaved: () => void;
}

interface Setting {
  /** The organisation, which owns the record. */
  readonly principal: string;
  readonly name: string;
  readonly value: JsonObject;
}

interface Replacement {
  readonly name: string;
  readonly value: JsonObject | undefined;
  readonly check: (before: JsonObject | undefined) => void;
}

const kind = "organisations";

/** Their settings are small, and are needed whenever one of their people does something. */
const maxOrganisations = 10_000;

export class OrganisationSettings {
  readonly #options: OrganisationSettingsOptions;
  readonly #records: PrincipalRecords<Setting>;
  readonly #listeners: ((organisation: string) => void)[] = [];

  constructor(options: OrganisationSettingsOptions) {
    this.#options = options;
    this.#records = createPrincipalRecords({
      ...options,
      kind,
      maxPrincipals: maxOrganisations,
      parse: parseSetting,
      toRecord: recordOf,
      onReread: (organisation) => this.#changed(organisation),
    });
  }

  /** Must be awaited before `known` is asked about an organisation. */
  async load(organisation: string): Promise<void> {
    await this.#records.of(organisation);
  }

  isLoaded(organisation: string): boolean {
    return this.#records.known(organisation) !== undefined;
  }

  known(organisation: string, name: string): JsonObject | undefined {
    return this.#records.known(organisation)?.get(keyOf(organisation, name))?.value;
  }

  /** The same; throws for an organisation that is not loaded, where none would allow more than was set. */
  required(organisation: string, name: string): JsonObject | undefined {
    if (this.isLoaded(organisation)) return this.known(organisation, name);
    throw new PagewireError("not-saved", "The settings of your organisation are not read yet. Try again.");
  }

  /** Rejects if it is not saved, and nothing changes then. */
  set(organisation: string, name: string, value: JsonObject | undefined): Promise<void> {
    return this.replace(organisation, { name, value, check: () => {} });
  }

  /** The same, unless the check throws for what the store has by then. */
  async replace(organisation: string, { name, value, check }: Replacement): Promise<void> {
    const key = keyOf(organisation, name);
    const setting = value && { principal: organisation, name, value };
    const { store } = this.#options;
    await changeRecord(store, { kind, key }, (before) => {
      check(before && parseSetting(key, before)?.value);
      return setting ? recordOf(setting) : null;
    });
    this.#records.note({ key, principal: organisation, value: setting });
    this.#changed(organisation);
  }

  /** Calls the listener after a change of an organisation's settings, here or at another hub. */
  onChanged(listener: (organisation: string) => void): void {
    this.#listeners.push(listener);
  }

  #changed(organisation: string): void {
    for (const listener of this.#listeners) listener(organisation);
  }
}

function keyOf(organisation: string, name: string): string {
  return `${organisation}/${name}`;
}

function recordOf({ principal, name, value }: Setting): StoredRecord {
  return { principal, name, value };
}

function parseSetting(_: string, { principal, name, value }: StoredRecord): Setting | undefined {
  return typeof name === "string" && isJsonObject(value) ? { principal, name, value } : undefined;
}
