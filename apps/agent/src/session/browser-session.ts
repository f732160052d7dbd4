import { createPageKey, keepKeyPair } from "../../../common/src/page-key.ts";
import { createSafeStorage } from "../../../common/src/safe-storage.ts";
import { askHub } from "./ask-hub.ts";
import { tokenKey } from "./open-session.ts";
import { askChallenge, signAsks } from "./sign-asks.ts";
import type { SessionParts } from "./open-session.ts";

const key = createPageKey({
  origin: location.origin,
  now: Date.now,
  challenge: () => askChallenge(askHub),
  keyPair: keepKeyPair,
});

/** What a session needs of this browser. */
export const browserSession: Omit<SessionParts, "maySwitch"> = {
  ask: signAsks(askHub, key),
  bearer: (token) => key.bearer(token, true),
  storage: createSafeStorage(() => localStorage),
  onElsewhere(listener) {
    const hear = ({ key, newValue, storageArea }: StorageEvent): void => {
      // A key of null: everything was cleared.
      if ((key === tokenKey || key === null) && storageArea !== sessionStorage) listener(newValue ?? undefined);
    };
    addEventListener("storage", hear);
    return () => removeEventListener("storage", hear);
  },
};
