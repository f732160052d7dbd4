// The operating system's place for secrets: the Keychain, the Credential Manager, a Secret Service.
import type { AsyncEntry } from "@napi-rs/keyring";

export interface Keyring {
  /** The name that its users know. */
  readonly name: string;
  /** Undefined if there is none. Rejects where the place cannot be reached. */
  get(account: string): Promise<string | undefined>;
  set(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

const names: Readonly<Record<string, string>> = {
  darwin: "the Keychain",
  win32: "the Credential Manager",
  linux: "the Secret Service",
};

/** Undefined where the system has none, or its user wants none. */
export async function openKeyring(
  environment: Readonly<Record<string, string | undefined>>,
  platform: string,
): Promise<Keyring | undefined> {
  const name = names[platform];
  if (environment["PAGEWIRE_KEYRING"] === "off" || name === undefined) return undefined;
  const loaded = await import("@napi-rs/keyring").catch(() => undefined);
  if (loaded === undefined) return undefined;
  // The other store on Linux, of the kernel, forgets all when the machine restarts.
  const open = (account: string): AsyncEntry =>
    new loaded.AsyncEntry("pagewire", account, { linux: { store: "secret-service" } });
  return {
    name,
    get: async (account) => (await open(account).getPassword()) ?? undefined,
    set: (account, secret) => open(account).setPassword(secret),
    remove: async (account) => void (await open(account).deletePassword()),
  };
}
