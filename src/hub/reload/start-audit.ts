import type { ResolvedOptions } from "../options/options.ts";
import { version } from "../common/version.ts";
import { createAudit } from "../audit/audit.ts";
import type { Audit, CreateAuditOptions } from "../audit/audit.ts";

export interface AuditParts extends Pick<CreateAuditOptions, "store" | "limits" | "note" | "onLost" | "clock"> {
  readonly port: number;
}

/** Starts the audit that a hub's owner wants. */
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

/** So many origins are named. */
const mostOrigins = 100;

/** What the audit says of a hub that starts. */
function aboutHub({ jwt, host, publicHosts, allowedOrigins, ai, shell }: ResolvedOptions) {
  return {
    version,
    mode: jwt ? "jwt" : "local",
    host,
    publicHosts,
    allowedOrigins: allowedOrigins().slice(0, mostOrigins),
    models: ai?.models ?? [],
    terminals: shell !== undefined,
  };
}
