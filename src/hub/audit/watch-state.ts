import { hash } from "node:crypto";
import type { ResolvedOptions } from "../options.ts";
import type { Audit } from "./audit.ts";

type Watched = Pick<ResolvedOptions, "agentToken" | "allowedOrigins" | "shell">;

/** So many origins are named in one record. */
const mostOrigins = 100;

/** Returns what is to be called when the hub's state may have changed: it records what of it has. */
export function watchState({ agentToken, allowedOrigins, shell }: Watched, audit: Pick<Audit, "record">): () => void {
  const digestOf = (secret: (() => string) | undefined) => secret && hash("sha256", secret());
  const look = () => ({ token: digestOf(agentToken), key: digestOf(shell?.key), origins: allowedOrigins() });
  let seen = look();
  return () => {
    const now = look();
    const token = { kind: "token", principal: "", outcome: "rotated" } as const;
    if (now.token !== seen.token) audit.record({ ...token, name: "agent" });
    if (now.key !== seen.key) audit.record({ ...token, name: "terminals" });
    const added = now.origins.filter((origin) => !seen.origins.includes(origin));
    const removed = seen.origins.filter((origin) => !now.origins.includes(origin));
    const details = { added: added.slice(0, mostOrigins), removed: removed.slice(0, mostOrigins) };
    if (added.length + removed.length > 0)
      audit.record({ kind: "policy", principal: "", name: "allowed-origins", outcome: "changed", details });
    seen = now;
  };
}
