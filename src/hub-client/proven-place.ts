import { parseUrl } from "../wire/index.ts";

/**
 * The address for requests after a hub proved itself there; undefined if the proof is for another address. A name of this
 * machine may resolve to other programs at its other addresses, so from now on the hub's own address is used.
 */
export function placeOf(url: string, address: string, relayTo: string | undefined): string | undefined {
  const asked = new URL(url);
  const proven = parseUrl(`http://${address}`);
  if (proven === undefined) return undefined;
  if (relayTo !== undefined && relayTo === address) return url;
  const isSamePort = asked.port === proven.port;
  if (isSamePort && asked.hostname === proven.hostname) return url;
  if (isNameOfThisMachine(asked.hostname)) {
    return isSamePort && isThisMachine(proven.hostname) ? url.replace(asked.host, proven.host) : undefined;
  }
  // Over plain http, the server that a name resolves to is trusted to be at that address.
  return isNumeric(asked.hostname) ? undefined : url;
}

function isNameOfThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}

function isThisMachine(hostname: string): boolean {
  return hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

function isNumeric(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d+(\.\d+){3}$/.test(hostname);
}
