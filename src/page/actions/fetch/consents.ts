// What the person in front of the page allowed programs to fetch: until the page is left, or always.

const storageKey = "pagewire.fetch-consents";

/** Of the realm, because a page may hold more than one copy of this code. */
const realm: { [key: symbol]: Set<string> | undefined } = globalThis;
const untilLeft = (realm[Symbol.for("pagewire.fetch-consents")] ??= new Set());

/** A program that asks on and on would keep the person from the page, and from stopping it. */
const mostRefusals = 3;
/** How often in a row the person has refused, by kind of request. */
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
    // Storage is off or full: the person is asked again in the next page.
  }
}

/** The page is left. */
export function forgetUntilLeft(): void {
  untilLeft.clear();
  refusals.clear();
}

/** Whether the person has refused requests of this kind so often, one after the other, that they are not asked any more. */
export function isRefusedForGood(kind: string): boolean {
  return (refusals.get(kind) ?? 0) >= mostRefusals;
}

/** The person has answered about a request of this kind. */
export function noteAnswer(kind: string, isYes: boolean): void {
  if (isYes) refusals.delete(kind);
  else refusals.set(kind, (refusals.get(kind) ?? 0) + 1);
}

/** Takes back whatever was allowed to be fetched, for good or for this page: the next request of each kind asks again. */
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
