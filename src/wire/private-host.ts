// Classifies hosts by their name alone: a page cannot resolve names, and another address may be behind one later. Hosts come from `URL`, which normalizes every spelling
// of an IP address.

/** Names of this computer and of local networks. A name without a dot is one of the network that one is in. */
const localName = /^[^.]+$|\.(localhost|local|internal|intranet|lan|home|corp|private|test|home\.arpa)$/;

/** Loopback, private and shared networks, link-local, protocol assignments, benchmarks, multicast. */
const privateIPv4 = [
  /^(0|10|127)\./,
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  /^169\.254\./,
  /^172\.(1[6-9]|2\d|3[01])\./,
  /^192\.(0\.0|168)\./,
  /^198\.1[89]\./,
  /^(22[4-9]|2[3-5]\d)\./,
];

/** Global unicast, without the ranges that embed an IPv4 address. */
const publicIPv6 = /^\[(?!2002:|2001:(0|:))[23][\da-f]{3}:/;

/** The hostname without trailing dots. */
export function bareHost({ hostname }: Pick<URL, "hostname">): string {
  return hostname.replace(/\.+$/, "");
}

/** Whether a host is this computer or in its network, judged by its name. */
export function isPrivateHost(url: Pick<URL, "hostname">): boolean {
  const host = bareHost(url);
  if (host.startsWith("[")) return !publicIPv6.test(host);
  if (/^[\d.]+$/.test(host)) return privateIPv4.some((range) => range.test(host));
  return localName.test(host);
}

export function isLoopbackHost(url: Pick<URL, "hostname">): boolean {
  return /^(localhost|.+\.localhost|(0|127)(\.\d+){3}|\[::1?\]|\[::ffff:(0|7f[\da-f]{2}):[\da-f]+\])$/.test(
    bareHost(url),
  );
}
