// The scopes of a credential of team mode.
/** Each includes those before it. */
export const scopes = ["tools", "tools:destructive", "admin"] as const;
export type Scope = (typeof scopes)[number];

/** Whether a credential with these scopes may be used for what needs one of them. One without scopes may be used for all. */
export function isGranted(granted: readonly Scope[] | undefined, needed: Scope): boolean {
  return granted === undefined || granted.some((each) => scopes.indexOf(each) >= scopes.indexOf(needed));
}
