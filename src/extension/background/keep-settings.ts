import type { ExtensionApi } from "../browser-api.ts";
import { parseSettings } from "../settings.ts";
import type { Settings } from "../settings.ts";

export interface KeptSettings {
  get(): Promise<Settings>;
  change(update: (before: Settings) => Settings): Promise<Settings>;
}

/** The settings in storage.local, which content scripts may not read where the browser can see to that: Firefox cannot. */
export function keepSettings({ storage }: Pick<ExtensionApi, "storage">): KeptSettings {
  const { local } = storage;
  void local.setAccessLevel?.({ accessLevel: "TRUSTED_CONTEXTS" });
  let current = local.get(null).then(parseSettings);

  return {
    get: () => current,
    change(update) {
      const changed = current.then(async (before) => {
        const after = update(before);
        const { paused, sites, allowed = [], removed = [] } = after;
        await local.set({ paused, sites, allowed, removed });
        await (after.hub ? local.set({ hub: after.hub }) : local.remove("hub"));
        return after;
      });
      current = changed.catch(async () => parseSettings(await local.get(null)));
      return changed;
    },
  };
}
