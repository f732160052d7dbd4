import type { ExtensionApi } from "./browser-api.ts";

/** The origin of an address that the extension can work with; undefined for the browser's own pages, files and the like. */
export function siteOrigin(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, origin } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? origin : undefined;
}

/** The match pattern for the pages of an origin. Firefox takes no port in a pattern: it allows every port of the host. */
export function originPattern(origin: string, { getURL }: Pick<ExtensionApi["runtime"], "getURL">): string {
  const { protocol, host, hostname } = new URL(origin);
  return `${protocol}//${getURL("").startsWith("moz-extension:") ? hostname : host}/*`;
}

/** The origin for which a match pattern stands; undefined for the pattern of several hosts. */
export function patternOrigin(pattern: string): string | undefined {
  return pattern.includes("*://") || pattern.includes("//*") ? undefined : siteOrigin(pattern.replace(/\*$/, ""));
}
