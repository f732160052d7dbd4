import { isLoopback } from "pagewire/extension";

/** Whether what is sent to an address is encrypted, or stays on this computer. */
export function isPrivate(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol !== "http:" || isLoopback(hostname);
}
