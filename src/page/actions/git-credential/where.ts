import { isLoopbackHost } from "../fetch/private-host.ts";
import { askedHost } from "./asked-host.ts";
import type { CredentialTarget } from "./credential-request.ts";

/** Whose password it is, for people: the host, with the name that is asked for on the network where another one is written. */
export function hostOf(target: CredentialTarget): string {
  const { host } = target;
  if (host === "") return placeOf(target);
  const asked = askedHost(host);
  return asked === undefined || asked === host ? host : `${host} (${asked})`;
}

/** The address for people: protocol, host and, where git says it, the path. */
export function placeOf(target: CredentialTarget): string {
  const { protocol, host, path } = target;
  return host === "" ? `${protocol}: ${path ?? ""}` : `${protocol}://${hostOf(target)}${path ? `/${path}` : ""}`;
}

/** Whether what is entered goes over the network as it is. */
export function isReadByOthers({ protocol, host }: CredentialTarget): boolean {
  return protocol === "http" && !isLoopbackHost(new URL(`http://${host}`));
}
