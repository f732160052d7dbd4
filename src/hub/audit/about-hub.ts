import type { ResolvedOptions } from "../options.ts";
import { version } from "../version.ts";

/** So many origins are named. */
const mostOrigins = 100;

/** What the audit says of a hub that starts. */
export function aboutHub({ jwt, host, publicHosts, allowedOrigins, ai, shell, audit }: ResolvedOptions, port: number) {
  return {
    version,
    mode: jwt ? "jwt" : "local",
    host,
    port,
    publicHosts,
    allowedOrigins: allowedOrigins().slice(0, mostOrigins),
    models: ai?.models ?? [],
    terminals: shell !== undefined,
    contents: audit.contents,
  };
}
