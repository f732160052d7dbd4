// The policy, allowed origins and revoked tokens of all hubs of a cluster. The database is right; a hub's files follow it, and a
// change of a file is a change for all. What the database never had, such as all at a first start, it gets from the files.
import type { Clock } from "../../link/index.ts";
import type { Policy } from "../../policy/index.ts";
import { PagewireError, messageOf } from "../../wire/index.ts";
import type { Note } from "../common/log.ts";
import { noRevocations } from "../identity/revocations.ts";
import type { Revocations } from "../identity/revocations.ts";
import type { Later, Store } from "../store/index.ts";
import { contentOf, differing, namesOf, policyName, subjectIn, usablePolicy, withWritten } from "./own-settings.ts";
import type { Named, OwnSettings } from "./own-settings.ts";
import { readEntries, writeEntry } from "./setting-records.ts";
import type { Entry, SettingsStore } from "./setting-records.ts";

export interface SharedSettingsOptions {
  readonly own: OwnSettings;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly note: Note;
  /** Whether other hubs can tell of their changes. */
  readonly isUp: () => boolean;
}

/** How often the store is read, in case that messages were lost: less often while the bus works. */
const readTime = 1000;
const safeTime = 10_000;
/** How many are written at a time. */
const atOnce = 50;

export class SharedSettings {
  readonly #options: SharedSettingsOptions;
  readonly #listeners = new Set<() => void>();
  /** The contents of the files when they were last read. */
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
  /** Why the file of the policy could not be used when another hub's policy came. */
  #superseded: string | undefined;
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
    const { problem } = this.#options.own;
    if (problem !== undefined && messageOf(problem) !== this.#superseded) throw problem;
    return this.#policy;
  }

  get origins(): readonly string[] {
    return this.#origins;
  }

  get revocations(): Revocations {
    if (this.#options.own.hasRevoked) this.look();
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
    const names = this.#withIncluded(differing(before, this.#seen));
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

  /** The names of changes, with the earlier times of subjects whose revocations were taken back. */
  #withIncluded(names: readonly string[]): readonly string[] {
    const removed = names.filter((name) => !this.#seen.has(name)).map((name) => [name, ""] as const);
    const { subjects } = contentOf(new Map(removed)).revoked;
    if (subjects.size === 0) return names;
    const earlier = [...this.#known.keys()].filter((name) => {
      const { subject = "", time = 0 } = subjectIn(name) ?? {};
      return time < (subjects.get(subject) ?? 0) && !this.#seen.has(name);
    });
    return [...names, ...earlier];
  }

  #plan(): void {
    const { clock, isUp, own } = this.#options;
    this.#stopTimer();
    if (this.#isClosed) return;
    this.#stopTimer = clock.after(readTime, () => {
      // A program need not say that it revoked something.
      if (!own.write) this.look();
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
      // Of a subject, an earlier time is removed once the later one is there.
      await this.#save(store, ({ value }) => value !== undefined);
      await this.#save(store, ({ value }) => value === undefined);
    }
  }

  /** In groups: what another hub changes meanwhile does not wait for all of many. */
  async #save(store: SettingsStore, isOne: (entry: Entry) => boolean): Promise<void> {
    const entries = [...this.#unsaved].filter(([, entry]) => isOne(entry));
    while (entries.length > 0 && !this.#isChanged) {
      const group = entries.splice(0, atOnce).map(async ([name, entry]) => {
        await writeEntry(store, [name, entry], this.#options.now());
        if (this.#unsaved.get(name) === entry) this.#unsaved.delete(name);
      });
      await Promise.all(group);
    }
  }

  async #read(store: SettingsStore): Promise<Map<string, Entry>> {
    const found = await readEntries(store);
    this.#readAt = this.#options.clock.now();
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
    for (const [name, entry] of this.#known) {
      const at = found.get(name)?.at;
      // A database that never had it or has lost it, or a hub that slept while it wrote something older.
      const lacks = at === undefined ? entry.value !== undefined || this.#unsaved.has(name) : at < entry.at;
      if (lacks) this.#unsaved.set(name, entry);
      else this.#unsaved.delete(name);
    }
    this.#known = new Map([...found, ...this.#unsaved]);
    const before = this.#inForce;
    this.#derive();
    this.#write(before);
    if (differing(before, this.#inForce).length > 0) for (const listener of this.#listeners) listener();
  }

  #derive(): void {
    const named = new Map<string, string>();
    for (const [name, { value }] of this.#known) if (value !== undefined) named.set(name, value);
    // A program's revocation is never taken back.
    if (!this.#options.own.write) for (const [name, value] of this.#seen) named.set(name, value);
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
    if (before.get(policyName) !== this.#inForce.get(policyName))
      this.#superseded = own.problem === undefined ? undefined : messageOf(own.problem);
    if (!own.write || differing(this.#seen, this.#inForce).length === 0) return;
    try {
      own.write(this.#seen, this.#inForce);
      this.#problem = "";
    } catch (error) {
      this.#report("settings-not-written", messageOf(error));
    }
    this.#seen = withWritten(this.#seen, own.read(), this.#inForce);
    // A change that another process made meanwhile is one like any other.
    this.look();
  }

  #report(event: string, message: string): void {
    if (message !== this.#problem) this.#options.note("error", event, { message });
    this.#problem = message;
  }
}
