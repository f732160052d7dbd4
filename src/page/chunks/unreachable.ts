// Distinguishes a hub that is down from one that the browser blocks.
import type { Refusal } from "../connection/connection.ts";

/** Chrome's names for its permission, by where the hub is; the newest first. */
const permissionNames = {
  loopback: ["loopback-network", "local-network-access"],
  local: ["local-network", "local-network-access"],
};

const loopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;
const local = /^((10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))(\.\d+)+|\[f[cd].*\]|\[fe80.*\]|.+\.local)$/;

/** Secure pages may reach the local network, but no insecure address outside it. */
interface Place {
  readonly location: Pick<Location, "protocol">;
  readonly isSecureContext: boolean;
}

/** Why the browser blocks this page from the hub; undefined if it does not. */
export async function whyUnreachable(hub: string, page: Place = window): Promise<Refusal | undefined> {
  const { hostname, protocol } = new URL(hub);
  const network = loopback.test(hostname) ? "loopback" : local.test(hostname) ? "local" : undefined;
  if (network === undefined) {
    const isMixed = page.location.protocol === "https:" && protocol === "http:";
    return isMixed ? { code: "hub-unreachable", message: mixedContent } : undefined;
  }
  if (!(await isDenied(permissionNames[network]))) return undefined;
  return { code: "local-network-denied", message: page.isSecureContext ? denied : insecure };
}

const mixedContent = "A secure page can only reach a hub with an https address, or one in the same network.";
const denied =
  "This browser does not let the page reach programs on this computer and its network. Allow local network access for this site in its settings, and reload.";
const insecure =
  "Browsers let only secure pages reach programs on this computer and its network. Serve the page over https or from localhost.";

async function isDenied(names: readonly string[]): Promise<boolean> {
  for (const name of names) {
    try {
      const { state } = await navigator.permissions.query({ name: name as PermissionName });
      return state === "denied";
    } catch {
      // This browser does not have the permission by this name.
    }
  }
  return false;
}
