// All that the extension's pages show: what the worker and they keep, and the permissions that the browser has.
import { signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import { parseSettings, shownAsk, shownHub } from "pagewire/extension";
import type { ExtensionApi, FromOwnPage, Reply, Settings, ShownAsk, ShownHub } from "pagewire/extension";
import { messageOf } from "pagewire/wire";

export interface Store {
  readonly api: ExtensionApi;
  /** These are undefined until they are read. */
  readonly settings: ReadonlySignal<Settings | undefined>;
  readonly session: ReadonlySignal<Readonly<Record<string, unknown>> | undefined>;
  /** The patterns of the sites that are always allowed. */
  readonly permitted: ReadonlySignal<readonly string[] | undefined>;
  /** A failure to read them. */
  readonly problem: ReadonlySignal<string | undefined>;
  send(message: FromOwnPage): Promise<Reply>;
  close(): void;
}

export function openStore(api: ExtensionApi): Store {
  const settings = signal<Settings>();
  const session = signal<Readonly<Record<string, unknown>>>();
  const permitted = signal<readonly string[]>();
  const problem = signal<string>();
  const { storage, permissions } = api;
  let local: Readonly<Record<string, unknown>> = {};
  /** Changes that came while the rest was still being read. */
  const early: Record<"local" | "session", Record<string, unknown>> = { local: {}, session: {} };

  function show(area: "local" | "session", items: Readonly<Record<string, unknown>>): void {
    if (area === "session") session.value = items;
    else settings.value = parseSettings((local = items));
  }

  function follow(changes: Readonly<Record<string, { readonly newValue?: unknown }>>, area: string): void {
    if (area !== "local" && area !== "session") return;
    const changed = Object.fromEntries(Object.entries(changes).map(([name, { newValue }]) => [name, newValue]));
    const known = area === "session" ? session.value : settings.value && local;
    if (known) show(area, { ...known, ...changed });
    else Object.assign(early[area], changed);
  }

  async function read(area: "local" | "session"): Promise<void> {
    const items = await storage[area].get(null);
    show(area, { ...items, ...early[area] });
  }

  async function readPermitted(): Promise<void> {
    permitted.value = (await permissions.getAll()).origins ?? [];
  }

  const fail = (error: unknown): void => void (problem.value = messageOf(error));
  const readAgain = (): void => void readPermitted().catch(fail);
  storage.onChanged.addListener(follow);
  permissions.onAdded.addListener(readAgain);
  permissions.onRemoved.addListener(readAgain);
  Promise.all([read("local"), read("session"), readPermitted()]).catch(fail);

  return {
    ...{ api, settings, session, permitted, problem },
    async send(message) {
      try {
        const reply = (await api.runtime.sendMessage(message)) as Reply | undefined;
        return reply ?? { ok: false, message: silent };
      } catch (error) {
        return { ok: false, message: `${silent} (${messageOf(error)})` };
      }
    },
    close() {
      storage.onChanged.removeListener(follow);
      permissions.onAdded.removeListener(readAgain);
      permissions.onRemoved.removeListener(readAgain);
    },
  };
}

const silent = "The extension did not answer. Try again, or switch it off and on in your browser's list of extensions.";

/** The hub's state as the worker last wrote it. */
export function hubOf({ session }: Pick<Store, "session">): ShownHub | undefined {
  return session.value?.[shownHub] as ShownHub | undefined;
}

/** The questions that wait, the oldest first. */
export function asksOf({ session }: Pick<Store, "session">): readonly (readonly [id: string, ask: ShownAsk])[] {
  return Object.entries(session.value ?? {})
    .filter(([name, value]) => name.startsWith(askPrefix) && value !== undefined)
    .map(([name, value]) => [name.slice(askPrefix.length), value as ShownAsk] as const)
    .toSorted(([, one], [, other]) => one.askedAt - other.askedAt);
}

const askPrefix = shownAsk("");
