import { createHub, openStore } from "pagewire/hub";
import { createObedientModel } from "../../test/e2e/support/obedient-model.ts";
import type { Parameters, Started } from "../harness/role.ts";
import { benchLimits } from "./bench-limits.ts";

/** Pagewire's hub as it is published, with every guard in place. */
export async function startPagewireHub({
  port = 0,
  allowedOrigins = [],
  agentToken = "",
  database,
  hasAudit = true,
  hasDemo = false,
  secret,
  team,
  nats,
}: Parameters): Promise<Started> {
  const own: string[] = [];
  const hub = await createHub({
    port,
    allowedOrigins: () => [...allowedOrigins, ...own],
    ...(secret === undefined
      ? { ...(team ? { team: teamOf(team) } : { agentToken: () => agentToken }), limits: benchLimits }
      : { jwt: { secret }, ai: { ...createObedientModel(), quota: Infinity } }),
    ...(nats !== undefined && { cluster: { nats } }),
    ...(database !== undefined && { store: () => openStore({ database }) }),
    ...(!hasAudit && { audit: "none" as const }),
    ...(hasDemo && { demo: { port: 0 } }),
  });
  if (team) own.push(hub.url);
  return { port: hub.port, ...(hub.demo !== undefined && { demo: hub.demo }) };
}

function teamOf({ issuer, audience }: NonNullable<Parameters["team"]>) {
  return { secret: "s".repeat(32), providers: [{ name: "bench", issuer, audiences: [audience] }] };
}
