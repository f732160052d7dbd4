// Credentials that the user chose to remember, in this tab's memory only, and which passwords git reported as wrong.
import type { CredentialTarget } from "./credential-request.ts";

export interface Credential {
  readonly username: string;
  readonly password: string;
}

/** The accounts that this tab remembers, by protocol, host, path and username. */
export interface CredentialMemory {
  /** The credential for this target; none where several accounts could be meant. */
  find(target: CredentialTarget): Credential | undefined;
  remember(target: CredentialTarget, credential: Credential): void;
  /** Whether the next credential that git reports as good is remembered: its user chose, and it is not known yet. */
  expect(target: CredentialTarget, isWanted: boolean): void;
  /** Git reported a credential as good. */
  accept(target: CredentialTarget, password: string | undefined): void;
  /**
   * Forgets refused credentials; with a password, only a matching one, so that a late report cannot erase a newer one.
   */
  erase(target: CredentialTarget, password: string | undefined): void;
  /** The account whose password was refused last, until one works; "" if git did not name it. */
  refusedAccount(target: CredentialTarget): string | undefined;
  /** Forgets everything. */
  clear(): void;
}

/** Cap: programs can name any number of targets. */
const mostTargets = 100;

export function createCredentialMemory(): CredentialMemory {
  const places = new Map<string, Map<string, Credential>>();
  const refusals = new Map<string, string>();
  const expected = new Set<string>();

  function accountsAt(target: CredentialTarget): readonly Credential[] {
    const all = [...(places.get(placeOf(target))?.values() ?? [])];
    return target.username === undefined ? all : all.filter(({ username }) => username === target.username);
  }

  function remember(target: CredentialTarget, credential: Credential): void {
    const place = placeOf(target);
    const accounts = places.get(place) ?? new Map<string, Credential>();
    places.set(place, accounts.set(credential.username, credential));
  }

  return {
    find(target) {
      const [first, ...others] = accountsAt(target);
      return others.length === 0 ? first : undefined;
    },
    remember,
    expect(target, isWanted) {
      const [oldest] = expected;
      if (!isWanted) return void expected.delete(placeOf(target));
      if (expected.size >= mostTargets && oldest !== undefined) expected.delete(oldest);
      expected.add(placeOf(target));
    },
    accept(target, password) {
      const { username } = target;
      refusals.delete(placeOf(target));
      if (username === undefined || !password) return;
      if (expected.delete(placeOf(target))) remember(target, { username, password });
    },
    erase(target, password) {
      const place = placeOf(target);
      expected.delete(place);
      for (const account of accountsAt(target)) {
        if (password === undefined || account.password === password) places.get(place)?.delete(account.username);
      }
      const [oldest] = refusals.keys();
      if (refusals.size >= mostTargets && oldest !== undefined) refusals.delete(oldest);
      refusals.set(place, target.username ?? "");
    },
    refusedAccount: (target) => refusals.get(placeOf(target)),
    clear() {
      places.clear();
      refusals.clear();
      expected.clear();
    },
  };
}

function placeOf({ protocol, host, path }: CredentialTarget): string {
  return JSON.stringify([protocol, host, path ?? null]);
}
