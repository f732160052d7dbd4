import { createPageKey, keepKeyPair } from "../page-key.ts";
import type { PageKey } from "../page-key.ts";
import { createSafeStorage } from "../safe-storage.ts";
import { askHub } from "./ask-hub.ts";
import type { AskHub } from "./ask-hub.ts";
import { tokenKey } from "./open-session.ts";
import type { SessionParts } from "./open-session.ts";
import { resumeByCookie } from "./providers.ts";
import { PagewireError } from "pagewire/wire";
import { isRefused } from "./is-refused.ts";

/** This browser's key for the pages of the hub. */
export const pageKey = createPageKey({
  origin: location.origin,
  now: Date.now,
  challenge: () => askChallenge(askHub),
  keyPair: keepKeyPair,
});

/** The browser, as a session uses it. */
export const browserSession: Omit<SessionParts, "maySwitch" | "askAgain"> = {
  ask: signAsks(askHub, pageKey),
  resume: () => resumeByCookie(askHub, pageKey),
  leave(address) {
    // In a frame, no identity provider can be shown.
    if (window.top === window && /^https?:/.test(address)) location.assign(address);
  },
  bearer: (token) => pageKey.bearer(token, true),
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

/** Requests of a page that has a key: it signs in with the key, and sends each token with a signature. */
function signAsks(ask: AskHub, key: PageKey): AskHub {
  return async (question) => {
    const { token, path, body } = question;
    if (path === "/api/sign-in" && typeof body === "object")
      return ask({ ...question, body: { ...body, key: await key.publicKey() } });
    if (token === undefined) return ask(question);
    const used = await key.bearer(token);
    try {
      return await ask({ ...question, token: used });
    } catch (error) {
      if (used === token || !isRefused(error)) throw error;
      // A signature for one run of the hub is invalid for the next.
      return ask({ ...question, token: await key.bearer(token, true) });
    }
  };
}

/** The challenge that a page signs. */
async function askChallenge(ask: AskHub): Promise<string> {
  const { challenge } = Object(await ask({ method: "POST", path: "/api/challenge" })) as { challenge?: unknown };
  if (typeof challenge === "string") return challenge;
  throw new PagewireError("internal-error", "The hub asked for no signature.");
}
