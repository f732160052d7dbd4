// The scripts that the browser runs in each new document of an allowed site. The browser injects them only where its permission
// allows it, so that the permissions need not be followed exactly.
import type { ContentScript, ExtensionApi } from "../browser-api.ts";
import { originPattern } from "../origin-pattern.ts";
import type { Settings } from "../settings.ts";

export const scriptFiles = { probe: "probe.js", page: "page.js", mainWorld: "main-world.js" } as const;

/**
 * Registers the scripts that the permissions and settings call for, also in the sites that are allowed in some tab: there the
 * person's click lets them in. Scripts that stay are not touched: the worker may be stopped at any step.
 */
export async function registerScripts(
  { permissions, scripting, runtime }: Pick<ExtensionApi, "permissions" | "scripting" | "runtime">,
  { sites, removed = [] }: Settings,
  inTabs: readonly string[],
): Promise<void> {
  const { origins = [] } = await permissions.getAll();
  const patternOf = (origin: string) => originPattern(origin, runtime);
  const always = origins.map((pattern) => (pattern === "<all_urls>" ? "*://*/*" : pattern)).filter(isForWeb);
  const matches = [...new Set([...always, ...inTabs.map(patternOf)])];
  const excluded = removed.map(patternOf);
  const without = Object.entries(sites).filter(([, { polyfill }]) => !polyfill);
  const reading = Object.entries(sites).filter(([origin, site]) => site.reading && !removed.includes(origin));
  const wanted = [
    scriptOf("probe", { js: scriptFiles.probe, world: "ISOLATED", matches, excluded }),
    scriptOf("main-world", {
      ...{ js: scriptFiles.mainWorld, world: "MAIN", matches },
      excluded: [...excluded, ...without.map(([origin]) => patternOf(origin))],
    }),
    // A page that is to be read need not have tools.
    scriptOf("page", {
      ...{ js: scriptFiles.page, world: "ISOLATED", excluded: [] },
      matches: reading.map(([origin]) => patternOf(origin)),
    }),
  ].flat();
  const registered = await scripting.getRegisteredContentScripts();
  const knownOf = ({ id }: ContentScript) => registered.find((known) => known.id === id);
  const changed = wanted.filter((script) => {
    const known = knownOf(script);
    return known && keyOf(known) !== keyOf(script);
  });
  const added = wanted.filter((script) => !knownOf(script));
  const gone = registered.filter(({ id }) => !wanted.some((script) => script.id === id));
  if (changed.length > 0) await scripting.updateContentScripts(changed);
  if (added.length > 0) await scripting.registerContentScripts(added);
  if (gone.length > 0) await scripting.unregisterContentScripts({ ids: gone.map(({ id }) => id) });
}

/** Equal for equal scripts: the browser keeps patterns in an order of its own. */
function keyOf({ js, world, matches, excludeMatches = [], runAt, persistAcrossSessions }: ContentScript): string {
  return JSON.stringify([js, world, runAt, persistAcrossSessions, matches.toSorted(), excludeMatches.toSorted()]);
}

interface ScriptMatches {
  readonly js: string;
  readonly world: ContentScript["world"];
  readonly matches: string[];
  readonly excluded: string[];
}

function scriptOf(id: string, { js, world, matches, excluded }: ScriptMatches): readonly ContentScript[] {
  if (matches.length === 0) return [];
  // All of it, for an update: a list that is missing stays, and Chromium would forget the script at the browser's next start.
  const always = { runAt: "document_start", persistAcrossSessions: true } as const;
  return [{ id, js: [js], world, matches, excludeMatches: excluded, ...always }];
}

function isForWeb(pattern: string): boolean {
  return /^(https?|\*):/.test(pattern);
}
