import { createServer } from "node:http";
import type { Server, ServerOptions } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Server as SecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { PagewireError } from "../../wire/index.ts";
import type { Limits } from "../../wire/index.ts";
import type { ResolvedOptions } from "../options/options.ts";
import type { Certificate } from "../options/reach.ts";

/** Clamps to Node's range of timeouts, in which zero means none. */
const serverTime = (milliseconds: number) => Math.min(Math.max(1, Math.round(milliseconds)), 2 ** 31 - 1);

/** Creates a hub's HTTP server, which does not listen yet. */
export function createHubServer(limits: Limits): Server {
  return createServer(serverOptions(limits));
}

/** The same over TLS. */
export function createSecureHubServer(limits: Limits, certificate: Certificate): SecureServer {
  const handshakeTimeout = serverTime(limits.headersTime);
  return createSecureServer({ ...serverOptions(limits), ...certificate, handshakeTimeout, minVersion: "TLSv1.2" });
}

function serverOptions({ headersTime, requestTime, keepAliveTime, headerBytes }: Limits): ServerOptions {
  return {
    headersTimeout: serverTime(Math.min(headersTime, requestTime)),
    requestTimeout: serverTime(requestTime),
    keepAliveTimeout: serverTime(keepAliveTime),
    connectionsCheckingInterval: serverTime(Math.min(2000, headersTime / 2)),
    maxHeaderSize: headerBytes,
    // The guard refuses a missing Host like any wrong one.
    requireHostHeader: false,
  };
}

export function listen(server: Server, { port, host }: Pick<ResolvedOptions, "port" | "host">): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => {
      const taken = error.code === "EADDRINUSE";
      const message = taken
        ? `Port ${port} is in use. Is a hub running already? See: npx pagewire doctor`
        : `The hub cannot listen on ${host}:${port}: ${error.message}`;
      reject(new PagewireError(taken ? "address-in-use" : "options-invalid", message, { cause: error }));
    };
    server.once("error", fail);
    server.listen(port, host, () => {
      server.off("error", fail);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** The URL for this machine. A server on all addresses is reached by the loopback one. */
export function urlOf(host: string, port: number, scheme = "http"): string {
  if (host === "0.0.0.0" || host === "::") return `${scheme}://127.0.0.1:${port}`;
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
