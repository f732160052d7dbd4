// Reads X-Forwarded-* headers, from the configured proxies only.
import type { IncomingMessage } from "node:http";
import { PagewireError } from "../../wire/index.ts";
import { passedFor } from "../http/tunnel-socket.ts";
import { addressList, familyOf, isLoopbackHost } from "../options/reach.ts";
import type { Reach } from "../options/reach.ts";

export interface Proxies {
  /** The client's address: the last hop that is not one of our proxies. */
  clientOf(request: IncomingMessage): string;
  /** The host that the client requested, if a proxy forwards it. */
  forwardedHost(request: IncomingMessage): string | undefined;
  /** Throws if the request travelled unencrypted between machines. */
  checkUnread(request: IncomingMessage): void;
}

export function createProxies({ host, proxies, insecure }: Pick<Reach, "host" | "proxies" | "insecure">): Proxies {
  const known = addressList(proxies);
  const own = addressList(["127.0.0.0/8", "::1"]);
  const has = (list: typeof known, address: string) => {
    const family = familyOf(address);
    return family !== undefined && list.check(address, family);
  };
  // A hub that only this machine can reach skips the check.
  const trustsAll = insecure || (proxies.length === 0 && isLoopbackHost(host));
  const peerOf = (request: IncomingMessage) => passedFor(request) ?? request.socket.remoteAddress ?? "";
  const isProxied = (request: IncomingMessage) => proxies.length > 0 && has(known, peerOf(request));

  return {
    clientOf(request) {
      const peer = peerOf(request);
      if (!isProxied(request)) return peer;
      let client = peer;
      for (const address of listIn(request, "x-forwarded-for").reverse()) {
        if (familyOf(address) === undefined) break;
        client = address;
        if (!has(known, address)) break;
      }
      return client;
    },
    forwardedHost(request) {
      const forwarded = isProxied(request) ? request.headers["x-forwarded-host"] : undefined;
      return forwarded === undefined ? undefined : String(forwarded);
    },
    checkUnread(request) {
      if (trustsAll) return;
      const peer = peerOf(request);
      const [scheme] = isProxied(request) ? listIn(request, "x-forwarded-proto") : [];
      if (scheme !== undefined) {
        if (/^(https|wss)$/i.test(scheme)) return;
        throw inClear(`The proxy at ${peer} took this request in clear. Let it take https only`);
      }
      if ("encrypted" in request.socket || has(own, peer)) return;
      if (isProxied(request))
        throw inClear(`The proxy at ${peer} does not say how it was reached. Let it send X-Forwarded-Proto`);
      throw inClear(
        `This request came in clear from ${peer}, which is no proxy of this hub. Use the hub's https address`,
      );
    },
  };
}

function listIn({ headers }: IncomingMessage, name: string): string[] {
  const text = String(headers[name] ?? "");
  return text === "" ? [] : text.split(",").map((one) => one.trim());
}

function inClear(message: string): PagewireError {
  return new PagewireError("address-refused", `${message}.`);
}
