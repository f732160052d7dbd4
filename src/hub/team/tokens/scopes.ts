// The scopes of an access token, in the hub's own words.
import { scopes } from "../../identity/scopes.ts";
import type { Provider } from "../../options/team-options.ts";
import type { Scope } from "../../identity/scopes.ts";

type Claims = Readonly<Record<string, unknown>>;

/** The hub's scopes of a token, by its claim `scope` or `scp`. A provider that names none lets the token do the ordinary. */
export function readScopes({ scopes: names }: Pick<Provider, "scopes">, { scope, scp }: Claims): readonly Scope[] {
  const claim = scope ?? scp;
  if (claim === undefined) return ["tools"];
  const all: readonly unknown[] = Array.isArray(claim) ? claim : typeof claim === "string" ? claim.split(" ") : [];
  return scopes.filter((each) => all.includes(names[each]) || all.includes(shortName(names[each])));
}

/** Some providers want `api://pagewire/tools` in a request, and put `tools` into the token. */
function shortName(name: string): string {
  return /^[a-z]+:\/\//.test(name) ? name.slice(name.lastIndexOf("/") + 1) : name;
}
