import type { ConfigEntry } from "./config-entries.ts";
import type { RunGit } from "./run-git.ts";

/** A helper that git asks, and whose config says so. */
export interface ConfiguredHelper extends ConfigEntry {
  readonly scope: string;
}

/** Every helper in the order in which git asks them, without those that a later line takes back. */
export async function listHelpers(runGit: RunGit): Promise<readonly ConfiguredHelper[]> {
  const text = await runGit(["config", "--show-scope", "-z", "--get-regexp", String.raw`^credential\.(.*\.)?helper$`])
    // Git fails where there is none.
    .catch(() => "");
  const words = text.split("\0").slice(0, -1);
  let helpers: readonly ConfiguredHelper[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [scope = "", entry = ""] = words.slice(at, at + 2);
    const end = entry.indexOf("\n");
    const [key, value] = end === -1 ? [entry, ""] : [entry.slice(0, end), entry.slice(end + 1)];
    // An empty one takes back those before it: all of them, or those for its host.
    if (value !== "") helpers = [...helpers, { scope, key, value }];
    else helpers = helpers.filter((before) => key !== "credential.helper" && before.key !== key);
  }
  return helpers;
}

/** Git reads its files in this order, and asks helpers in the order in which it reads of them. */
const scopes = ["system", "global", "local", "worktree", "command"];

/** The helpers that git asks before this one, which stands at the end of its scope where it is not there yet. */
export function helpersBefore(
  { key, value, scope }: ConfiguredHelper,
  helpers: readonly ConfiguredHelper[],
): readonly ConfiguredHelper[] {
  const isOwn = (other: ConfiguredHelper) => other.key === key && other.value === value && other.scope === scope;
  const own = helpers.findIndex(isOwn);
  const last = scopes.indexOf(scope);
  const before = own === -1 ? helpers.filter((other) => scopes.indexOf(other.scope) <= last) : helpers.slice(0, own);
  const isForAll = key === "credential.helper";
  return before.filter(
    (other) => other.value !== value && (isForAll || /^credential\.helper$/.test(other.key) || other.key === key),
  );
}
