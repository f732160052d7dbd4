import { createHub } from "pagewire/hub";
import type { Parameters, Started } from "../harness/role.ts";

/** Pagewire's hub as it is published, with every guard in place. */
export async function startPagewireHub({
  port = 0,
  allowedOrigins = [],
  agentToken = "",
}: Parameters): Promise<Started> {
  const hub = await createHub({ port, agentToken: () => agentToken, allowedOrigins: () => allowedOrigins });
  return { port: hub.port };
}
