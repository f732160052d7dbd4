import { hash } from "node:crypto";
import type { Revocations } from "../identity/revocations.ts";
import type { ResolvedOptions } from "../options/options.ts";
import type { AuditRecord } from "../store/index.ts";
import { createAudit } from "../audit/audit.ts";
import type { Audit, CreateAuditOptions } from "../audit/audit.ts";
import { version } from "../common/version.ts";

interface AuditParts extends Pick<CreateAuditOptions, "store" | "limits" | "note" | "onLost" | "clock"> {
  readonly port: number;
}

/** Starts the audit, unless it is switched off. */
export function startAudit(options: ResolvedOptions, { port, ...parts }: AuditParts): Audit {
  const { audit } = options;
  if (audit === "none") return noAudit;
  return createAudit({ ...parts, ...audit, about: { ...aboutHub(options), port, contents: audit.contents } });
}

const noAudit: Audit = {
  record: () => {},
  onEnded: () => {},
  onQuestion: () => {},
  call: () => {},
  refused: () => {},
  close: async () => {},
};

const maxOrigins = 100;

/** The details in the record of a hub's start. */
function aboutHub({ jwt, host, publicHosts, allowedOrigins, ai, shell }: ResolvedOptions) {
  return {
    version,
    mode: jwt ? "jwt" : "local",
    host,
    publicHosts,
    allowedOrigins: allowedOrigins().slice(0, maxOrigins),
    models: ai?.models ?? [],
    terminals: shell.isOn,
  };
}

type Watched = Pick<ResolvedOptions, "agentToken" | "allowedOrigins" | "shell" | "revocations">;

/** Max origins in a record, and max records of revocations per change. */
const maxDetails = 100;

/** Returns a function to call when the hub's state may have changed; it records the differences. */
export function watchState(
  { agentToken, allowedOrigins, shell, revocations }: Watched,
  audit: Pick<Audit, "record">,
): () => void {
  const digestOf = (secret: (() => string) | undefined) => secret && hash("sha256", secret());
  const look = () => ({
    token: digestOf(agentToken),
    key: shell.isOn ? digestOf(shell.key) : undefined,
    origins: allowedOrigins(),
    revoked: namedIn(revocations()),
  });
  let seen = look();
  return () => {
    const now = look();
    const token = { kind: "token", principal: "", outcome: "rotated" } as const;
    if (now.token !== seen.token) audit.record({ ...token, name: "agent" });
    // Before they were switched on, there was no key in use.
    if (seen.key !== undefined && now.key !== seen.key) audit.record({ ...token, name: "terminals" });
    const added = now.origins.filter((origin) => !seen.origins.includes(origin));
    const removed = seen.origins.filter((origin) => !now.origins.includes(origin));
    const details = { added: added.slice(0, maxDetails), removed: removed.slice(0, maxDetails) };
    if (added.length + removed.length > 0)
      audit.record({ kind: "policy", principal: "", name: "allowed-origins", outcome: "changed", details });
    const { revoked } = seen;
    const revokedNow = [...now.revoked].filter(([key, each]) => revoked.get(key)?.since !== each.since);
    const restored = [...revoked].filter(([key]) => !now.revoked.has(key));
    for (const [, { about }] of revokedNow.slice(0, maxDetails))
      audit.record({ ...token, ...about, outcome: "revoked" });
    for (const [, { about }] of restored.slice(0, maxDetails))
      audit.record({ ...token, ...about, outcome: "restored" });
    seen = now;
  };
}

interface Named {
  readonly since: number;
  readonly about: Pick<AuditRecord, "name" | "principal" | "details">;
}

/** The revocations by a unique key. */
function namedIn({ ids, subjects }: Revocations): ReadonlyMap<string, Named> {
  const found = new Map<string, Named>();
  for (const id of ids) found.set(`id ${id}`, { since: 0, about: { name: "id", principal: "", details: { id } } });
  for (const [principal, since] of subjects) {
    const details = { notBefore: new Date(since).toISOString() };
    found.set(`subject ${principal}`, { since, about: { name: "subject", principal, details } });
  }
  return found;
}
