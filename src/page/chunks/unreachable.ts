// Tells a hub that is not there from one that the browser keeps the page from.
import type { Refusal } from "../connection.ts";

/** Chrome's names for its permission, by where the hub is; the newest first. */
const permissionNames = {
  loopback: ["loopback-network", "local-network-access"],
  local: ["local-network", "local-network-access"],
};

const loopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;
const local = /^((10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))(\.\d+)+|\[f[cd].*\]|\[fe80.*\]|.+\.local)$/;

/** Why this page cannot reach the hub at an address, where the browser is the reason. */
export async function whyUnreachable(hub: string): Promise<Refusal | undefined> {
  const { hostname, protocol } = new URL(hub);
  const place = loopback.test(hostname) ? "loopback" : local.test(hostname) ? "local" : undefined;
  if (protocol === "http:" && location.protocol === "https:" && place !== "loopback") {
    return refusal("A secure page can only reach a hub with an https address, or one on the same computer.");
  }
  if (place === undefined || !(await isDenied(permissionNames[place]))) return undefined;
  return isSecureContext
    ? refusal(
        "This browser does not let the page reach programs on this computer and its network. Allow local network access for this site in its settings, and reload.",
      )
    : refusal(
        "Browsers let only secure pages reach programs on this computer and its network. Serve the page over https or from localhost.",
      );
}

function refusal(message: string): Refusal {
  return { code: "local-network-denied", message };
}

async function isDenied(names: readonly string[]): Promise<boolean> {
  for (const name of names) {
    try {
      const { state } = await navigator.permissions.query({ name: name as PermissionName });
      return state === "denied";
    } catch {
      // This browser does not know the permission by this name.
    }
  }
  return false;
}
