import { createHub, openStore } from "pagewire/hub";
import type { Parameters, Started } from "../harness/role.ts";

/** Pagewire's hub as it is published, with every guard in place. */
export async function startPagewireHub({
  port = 0,
  allowedOrigins = [],
  agentToken = "",
  database,
  hasAudit = true,
  hasDemo = false,
}: Parameters): Promise<Started> {
  const hub = await createHub({
    port,
    agentToken: () => agentToken,
    allowedOrigins: () => allowedOrigins,
    ...(database !== undefined && { store: () => openStore({ database }) }),
    ...(!hasAudit && { audit: "none" as const }),
    ...(hasDemo && { demo: { port: 0 } }),
  });
  return { port: hub.port, ...(hub.demo !== undefined && { demo: hub.demo }) };
}
