// The scopes of a credential of team mode.
/** Each includes those before it. */
export const scopes = ["tools", "tools:destructive", "admin"] as const;
export type Scope = (typeof scopes)[number];

/** Whether a credential with these scopes may be used for what needs one of them. One without scopes may be used for all. */
export function isGranted(granted: readonly Scope[] | undefined, needed: Scope): boolean {
  return granted === undefined || granted.some((each) => scopes.indexOf(each) >= scopes.indexOf(needed));
}

/** Reads scopes that the hub wrote down; undefined where there are none, which is everything. */
export function readScopes(written: unknown): readonly Scope[] | undefined {
  return written === undefined ? undefined : scopes.filter((each) => [written].flat().includes(each));
}
