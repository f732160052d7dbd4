/** What the user decided about a tool once and for all. */
export interface Consent {
  readonly key: string;
  readonly tool: string;
  readonly origin: string;
  readonly approved: boolean;
}

/** Reads the hub's list; what has not the form of a consent is left out. */
export function parseConsents(value: unknown): readonly Consent[] {
  const { consents } = Object(value) as { consents?: unknown };
  return Array.isArray(consents) ? consents.filter(isConsent) : [];
}

function isConsent(value: unknown): value is Consent {
  const { key, tool, origin, approved } = Object(value) as Record<string, unknown>;
  return [key, tool, origin].every((text) => typeof text === "string") && typeof approved === "boolean";
}
