import type { HubSettings, ResolvedOptions } from "../options/options.ts";
import { wholeLines } from "./own-settings.ts";
import type { SharedSettings } from "./shared-settings.ts";

/** The options of a hub whose policy, allowed origins and revoked tokens are those of all hubs. */
export function withShared(own: ResolvedOptions, shared: SharedSettings): ResolvedOptions {
  const { settings } = own;
  const lookAfter =
    <Given extends readonly unknown[], Value>(work: (...given: Given) => Value) =>
    (...given: Given): Value => {
      try {
        return work(...given);
      } finally {
        shared.look();
      }
    };
  const files = (given: HubSettings): ResolvedOptions["settings"] => ({
    ...given,
    policyText() {
      const text = given.policyText();
      return text === undefined ? undefined : wholeLines(text);
    },
    setPolicy: lookAfter(given.setPolicy),
    removePolicy: lookAfter(given.removePolicy),
    allowOrigin: lookAfter(given.allowOrigin),
    disallowOrigin: lookAfter(given.disallowOrigin),
    saved: () => shared.saved(),
  });
  return {
    ...own,
    revocations: () => shared.revocations,
    ...(settings && {
      policy: () => shared.policy,
      allowedOrigins() {
        const saved = new Set(settings.savedOrigins());
        // Origins of this run are of this hub alone.
        return [...shared.origins, ...own.allowedOrigins().filter((origin) => !saved.has(origin))];
      },
      settings: files(settings),
    }),
    onStateChange(listener) {
      const stops = [own.onStateChange(() => (shared.look(), listener())), shared.onChange(listener)];
      return () => stops.forEach((stop) => stop());
    },
    async openStore() {
      const store = await own.openStore();
      await shared.open(store);
      return store;
    },
  };
}
