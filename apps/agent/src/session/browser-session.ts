import { createSafeStorage } from "../../../common/src/safe-storage.ts";
import { askHub } from "./ask-hub.ts";
import { tokenKey } from "./open-session.ts";
import type { SessionParts } from "./open-session.ts";

/** What a session needs of this browser. */
export const browserSession: Omit<SessionParts, "maySwitch"> = {
  ask: askHub,
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
