/** Whether an origin is one of this machine: its hub is found without an address, and its terminal is at hand. */
export function isHere(origin: string): boolean {
  const { hostname } = new URL(origin);
  return hostname === "[::1]" || /^(127(\.\d+){3}|(.+\.)?localhost)$/.test(hostname);
}
