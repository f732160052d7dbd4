// The policy, allowed origins and revoked tokens of all hubs of a cluster. The database is right; a hub's files follow it, and a
// change of a file is a change for all. What the database never had, such as all at a first start, it gets from the files.
//
// In the store they are records of the kind "settings": `{ principal: "", name, at, value? }`. Each changes by itself, so that
// hubs which change different ones do not disturb each other; without a value it was removed. The key is a digest of the name.
import { hash } from "node:crypto";
import type { Clock } from "../../link/index.ts";
import type { Policy } from "../../policy/index.ts";
import { PagewireError, messageOf } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import { noRevocations } from "../identity/revocations.ts";
import type { Revocations } from "../identity/revocations.ts";
import type { Later, Store, StoredRecord } from "../store/index.ts";
import { contentOf, differing, namesOf, policyName, subjectIn, usablePolicy } from "./own-settings.ts";
import type { Named, OwnSettings } from "./own-settings.ts";

export interface SharedSettingsOptions {
  readonly own: OwnSettings;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly note: Note;
  /** Whether other hubs can tell of their changes. */
  readonly isUp: () => boolean;
}

interface Entry {
  readonly at: number;
  /** Undefined once it was removed. */
  readonly value: string | undefined;
}

type SettingsStore = Pick<Store, "records" | "setRecord">;

/** How often the store is read, in case that messages were lost: less often while the bus works. */
const readTime = 1000;
const safeTime = 10_000;
/** How long a removed setting is remembered: a hub that was away for longer brings it back by its files. */
const removedTime = 366 * 24 * 60 * 60 * 1000;

export class SharedSettings {
  readonly #options: SharedSettingsOptions;
  readonly #listeners = new Set<() => void>();
  /** What the files had when they were last read. */
  #seen: Named;
  #known: ReadonlyMap<string, Entry>;
  readonly #unsaved = new Map<string, Entry>();
  #inForce: Named = new Map();
  #policy: Policy | undefined;
  #revocations: Revocations = noRevocations;
  #origins: readonly string[] = [];
  #store: SettingsStore | undefined;
  #later: Later | undefined;
  #syncing: Promise<void> | undefined;
  #isChanged = false;
  #isClosed = false;
  #readAt: number | undefined;
  #problem = "";
  #stopTimer = () => {};

  constructor(options: SharedSettingsOptions) {
    this.#options = options;
    this.#seen = options.own.read();
    // Older than any change.
    this.#known = new Map([...this.#seen].map(([name, value]) => [name, { at: 0, value }]));
    this.#derive();
  }

  /** Throws while the hub's own file cannot be used: the policy before it holds. */
  get policy(): Policy | undefined {
    if (this.#options.own.problem !== undefined) throw this.#options.own.problem;
    return this.#policy;
  }

  get origins(): readonly string[] {
    return this.#origins;
  }

  get revocations(): Revocations {
    return this.#revocations;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes what the database has. If it cannot be read, the files count until it can. */
  async open(store: SettingsStore): Promise<void> {
    this.#store = store;
    await this.#sync().catch(() => {});
    this.#plan();
  }

  /** From now on, what cannot be saved or read is tried again. */
  use(store: Store, later: Later): void {
    this.#store = store;
    this.#later = later;
    store.onChanged?.((change) => {
      if (!change || change.kind === "settings") this.#trySync();
    });
    if (this.#readAt === undefined) later.add(this.#sync);
  }

  /** Takes over what has changed in the hub's files. */
  look(): void {
    const before = this.#seen;
    this.#seen = this.#options.own.read();
    const names = differing(before, this.#seen).flatMap((name) => [name, ...this.#includedIn(name)]);
    if (names.length === 0) return;
    const known = new Map(this.#known);
    for (const name of names) {
      const at = Math.max(this.#options.now(), (known.get(name)?.at ?? 0) + 1);
      const entry = { at, value: this.#seen.get(name) };
      known.set(name, entry);
      this.#unsaved.set(name, entry);
    }
    this.#known = known;
    this.#derive();
    this.#trySync();
  }

  /** Resolves when every change of this hub is in the database; rejects if that is not possible now. */
  async saved(): Promise<void> {
    if (this.#unsaved.size === 0) return;
    await this.#sync().catch((error: unknown) => {
      const words = "This holds at this hub. The others get it as soon as the database works.";
      throw new PagewireError("not-saved", words, { cause: error });
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
  }

  /** The earlier times of a subject whose revocation was taken back. */
  #includedIn(name: string): readonly string[] {
    const removed = this.#seen.has(name) ? undefined : subjectIn(name);
    if (!removed) return [];
    return [...this.#known.keys()].filter((other) => {
      const { subject, time = 0 } = subjectIn(other) ?? {};
      return subject === removed.subject && time < removed.time && !this.#seen.has(other);
    });
  }

  #plan(): void {
    const { clock, isUp } = this.#options;
    this.#stopTimer();
    if (this.#isClosed) return;
    this.#stopTimer = clock.after(readTime, () => {
      if (!isUp() || clock.now() - (this.#readAt ?? -Infinity) >= safeTime) this.#trySync();
      this.#plan();
    });
  }

  #trySync(): void {
    this.#sync().catch(() => this.#later?.add(this.#sync));
  }

  /** One at a time; a change in the meantime makes another round. One function, so that it is queued once. */
  readonly #sync = (): Promise<void> => {
    this.#isChanged = true;
    return (this.#syncing ??= this.#rounds().finally(() => (this.#syncing = undefined)));
  };

  async #rounds(): Promise<void> {
    const store = this.#store;
    while (this.#isChanged && store) {
      this.#isChanged = false;
      this.#adopt(await this.#read(store));
      for (const [name, entry] of this.#unsaved) {
        await store.setRecord("settings", keyOf(name), this.#toRecord(name, entry));
        if (this.#unsaved.get(name) === entry) this.#unsaved.delete(name);
      }
    }
  }

  async #read(store: SettingsStore): Promise<Map<string, Entry>> {
    const records = await store.records("settings", "");
    this.#readAt = this.#options.clock.now();
    const found = new Map<string, Entry>();
    for (const { name, at, value } of records.values()) {
      if (typeof name !== "string" || typeof at !== "number") continue;
      found.set(name, { at, value: typeof value === "string" ? value : undefined });
    }
    const policy = found.get(policyName);
    // An older hub may not know all that a newer one does.
    if (policy?.value !== undefined && !usablePolicy(policy.value)) {
      this.#report("policy-refused", "The policy of the other hubs cannot be used. The policy before it holds.");
      found.set(policyName, { at: policy.at, value: this.#inForce.get(policyName) });
    }
    return found;
  }

  #adopt(found: Map<string, Entry>): void {
    this.look();
    // A database that never had it, or has lost it.
    for (const [name, entry] of this.#known)
      if (!found.has(name) && entry.value !== undefined && !this.#unsaved.has(name)) this.#unsaved.set(name, entry);
    for (const [name, { at }] of this.#unsaved) if ((found.get(name)?.at ?? -1) >= at) this.#unsaved.delete(name);
    this.#known = new Map([...found, ...this.#unsaved]);
    const before = this.#inForce;
    this.#derive();
    this.#write(before);
    if (differing(before, this.#inForce).length > 0) for (const listener of this.#listeners) listener();
  }

  #derive(): void {
    const { own } = this.#options;
    const named = new Map<string, string>();
    for (const [name, { value }] of this.#known) if (value !== undefined) named.set(name, value);
    // What a program revokes, nobody takes back.
    if (!own.write) for (const [name, value] of this.#seen) named.set(name, value);
    const content = contentOf(named);
    if (content.policy !== this.#inForce.get(policyName))
      this.#policy = content.policy === undefined ? undefined : usablePolicy(content.policy);
    this.#inForce = namesOf(content);
    this.#origins = content.origins;
    this.#revocations = content.revoked;
  }

  /** The command line of this machine shows what is in force, and a broken file is replaced by another hub's change only. */
  #write(before: Named): void {
    const { own } = this.#options;
    if (before.get(policyName) !== this.#inForce.get(policyName)) own.problem = undefined;
    if (!own.write || differing(this.#seen, this.#inForce).length === 0) return;
    try {
      own.write(this.#inForce);
      this.#problem = "";
    } catch (error) {
      this.#report("settings-not-written", messageOf(error));
    }
    this.#seen = own.read();
  }

  #report(event: string, message: string): void {
    if (message !== this.#problem) this.#options.note("error", event, { message });
    this.#problem = message;
  }

  #toRecord(name: string, { at, value }: Entry): StoredRecord {
    if (value !== undefined) return { principal: "", name, at, value };
    return { principal: "", name, at, forgetAt: this.#options.now() + removedTime };
  }
}

function keyOf(name: string): string {
  return hash("sha256", name, "base64url");
}
