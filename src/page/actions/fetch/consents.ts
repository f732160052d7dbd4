// The requests that the user has allowed programs to make: until the page is left, or always.

const storageKey = "pagewire.fetch-consents";

/** Shared through globalThis, because a page may have loaded this code twice. */
const realm: { [key: symbol]: Set<string> | undefined } = globalThis;
const untilLeft = (realm[Symbol.for("pagewire.fetch-consents")] ??= new Set());

/** A program that keeps asking would block the page, and with it the way to stop the program. */
const mostRefusals = 3;
/** Refusals in a row, by kind of request. */
const refusals = new Map<string, number>();

/** Whether requests of this kind were allowed before. */
export function isConsentGiven(kind: string): boolean {
  return untilLeft.has(kind) || readAlways().includes(kind);
}

/** Remembers that requests of this kind are allowed; where nothing can be stored, until the page is left. */
export function giveConsent(kind: string, isForAlways: boolean): void {
  untilLeft.add(kind);
  if (!isForAlways) return;
  try {
    localStorage.setItem(storageKey, JSON.stringify([...new Set([...readAlways(), kind])]));
  } catch {
    // Storage is off or full: the next page asks again.
  }
}

/** Forgets the permissions of this page visit. */
export function forgetUntilLeft(): void {
  untilLeft.clear();
  refusals.clear();
}

/** Whether the user refused this kind of request often enough in a row not to be asked again. */
export function isRefusedForGood(kind: string): boolean {
  return (refusals.get(kind) ?? 0) >= mostRefusals;
}

export function noteAnswer(kind: string, isYes: boolean): void {
  if (isYes) refusals.delete(kind);
  else refusals.set(kind, (refusals.get(kind) ?? 0) + 1);
}

/** Revokes all permissions to fetch, stored ones too: the next request of each kind asks again. */
export function forgetFetchConsents(): void {
  forgetUntilLeft();
  try {
    localStorage.removeItem(storageKey);
  } catch {
    // Nothing was stored where storage is off.
  }
}

function readAlways(): readonly unknown[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}
