import type { ExtensionApi } from "./browser-api.ts";
import type { Settings } from "./settings.ts";

/** The origin of an address that the extension can work with; undefined for the browser's own pages, files and the like. */
export function siteOrigin(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, origin } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? origin : undefined;
}

type Runtime = Pick<ExtensionApi["runtime"], "getURL">;

/**
 * The match pattern for the pages of an origin. Without a port it would be of every port of the host: Chromium takes the port of
 * the scheme too, and Firefox takes none.
 */
export function originPattern(origin: string, { getURL }: Runtime): string {
  const { protocol, hostname, port } = new URL(origin);
  if (getURL("").startsWith("moz-extension:")) return `${protocol}//${hostname}/*`;
  return `${protocol}//${hostname}:${port || (protocol === "https:" ? 443 : 80)}/*`;
}

/**
 * Whether a permission of the browser that covers an origin is meant for it. One that the person gave for another port of the same
 * host is not; one that they gave in the browser's own settings is, until they remove the site.
 */
export function isMeant({ allowed = [], removed = [] }: Settings, origin: string, runtime: Runtime): boolean {
  if (removed.includes(origin)) return false;
  const pattern = originPattern(origin, runtime);
  return allowed.includes(origin) || !allowed.some((other) => originPattern(other, runtime) === pattern);
}

/** The origin for which a match pattern stands; undefined for the pattern of several hosts. */
export function patternOrigin(pattern: string): string | undefined {
  return pattern.includes("*://") || pattern.includes("//*") ? undefined : siteOrigin(pattern.replace(/\*$/, ""));
}
