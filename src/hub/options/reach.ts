// A hub that other machines can reach needs TLS, from its own certificate or a proxy's, unless its owner opts out.
import { BlockList, isIP } from "node:net";
import { createSecureContext } from "node:tls";
import { PagewireError, messageOf } from "../../wire/index.ts";
import type { Server } from "node:http";
import type { Note } from "../common/log.ts";

/** A certificate with its chain, and its key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Reach {
  readonly host: string;
  readonly tls: (() => Certificate) | undefined;
  /** Addresses, and networks such as 10.0.0.0/8. */
  readonly proxies: readonly string[];
  readonly insecure: boolean;
}

const loopbackHosts = ["127.0.0.1", "::1", "localhost"];

export function isLoopbackHost(host: string): boolean {
  return loopbackHosts.includes(host);
}

/** Throws if tokens would travel unencrypted, or if a certificate or a proxy's address is invalid. */
export function checkReach({ host, tls, proxies, insecure }: Reach): void {
  addressList(proxies);
  if (tls) checkCertificate(tls());
  if (isLoopbackHost(host) || tls || proxies.length > 0 || insecure) return;
  throw new PagewireError(
    "address-refused",
    `The hub does not listen on ${host} in clear: tokens could be read on their way. Give it a certificate (--tls-cert and --tls-key), name the proxy before it that has one (--behind-proxy), or say --insecure.`,
  );
}

/** Throws if certificate and key do not match. */
function checkCertificate({ cert, key }: Certificate): void {
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const message = `The certificate and its key cannot be used: ${messageOf(error)}. Both must be PEM, of each other, and without a passphrase.`;
    throw new PagewireError("options-invalid", message, { cause: error });
  }
}

/** Parses addresses and networks; throws for an invalid one. */
export function addressList(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = "", prefix] = text.split("/");
    const family = familyOf(address);
    const maxBits = family === "ipv4" ? 32 : 128;
    const bits = prefix === undefined ? maxBits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Infinity;
    if (family === undefined || bits > maxBits) {
      const message = `"${text}" is not the address of a proxy. Write an IP address, or a network such as 10.0.0.0/8.`;
      throw new PagewireError("options-invalid", message);
    }
    list.addSubnet(address, bits, family);
  }
  return list;
}

/** Undefined if a text is not an IP address. */
export function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  return ({ 4: "ipv4", 6: "ipv6" } as const)[isIP(address)];
}

/**
 * Returns a function to call when the certificate may have changed. A valid new one is served to new connections; an invalid
 * one, such as a half-written file, is ignored and logged.
 */
export function createRenewal(server: Server, tls: (() => Certificate) | undefined, note: Note): () => void {
  if (!tls || !("setSecureContext" in server)) return () => {};
  const secure = server as Server & { setSecureContext(certificate: Certificate): void };
  const textOf = ({ cert, key }: Certificate) => `${cert}\n${key}`;
  let served = textOf(tls());
  return () => {
    try {
      const next = tls();
      if (textOf(next) === served) return;
      checkCertificate(next);
      secure.setSecureContext(next);
      served = textOf(next);
      note("info", "certificate-renewed");
    } catch (error) {
      note("error", "certificate-refused", { message: messageOf(error) });
    }
  };
}
