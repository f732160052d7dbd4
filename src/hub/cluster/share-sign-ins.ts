import type { AppSessions, Visit } from "../guard/app-sessions.ts";
import type { JsonObject } from "../../wire/index.ts";
import type { Cluster } from "./cluster.ts";

/** A code is known to the hub that made it: only that one exchanges it, once, whichever hub gets it. */
export function shareSignIns(sessions: AppSessions, { others }: Pick<Cluster, "others">): void {
  others.answers("sign-in", async ({ code, visit }) => {
    if (visit === undefined) await sessions.spendCode(code as string);
    const pass = visit && (await sessions.signIn(code as string, visit as unknown as Visit));
    return pass ? { text: pass.text, expiresAt: pass.expiresAt } : {};
  });
  sessions.elsewhere = {
    nameHere: (secret) => others.nameHere(secret),
    signIn(code, visit) {
      const hub = others.hubOf(code);
      // The codes of a hub that is gone are gone with it.
      if (hub === undefined || !others.has(hub)) return undefined;
      const asked = others.ask(hub, "sign-in", { code, ...(visit && { visit: { ...visit } as JsonObject }) });
      return asked.then(passOf);
    },
  };
}

function passOf({ text, expiresAt }: JsonObject): { readonly text: string; readonly expiresAt: number } | undefined {
  if (typeof text !== "string") return undefined;
  // JSON has no Infinity.
  return { text, expiresAt: typeof expiresAt === "number" ? expiresAt : Infinity };
}
