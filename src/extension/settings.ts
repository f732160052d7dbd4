// Lasting settings, in storage.local. In Chromium only the extension's own pages and its worker may read them; in Firefox its
// scripts in pages could too, but never the pages themselves.
import { isJsonObject } from "../wire/index.ts";

/** The calls that need no question at a site: those of read-only tools, with or without offering others, or all. */
export const callModes = ["ask", "read-only", "all"] as const;

/** "ask": the person is asked before what changes something. "read-only": nothing else is offered. "all": nothing is asked. */
export type CallMode = (typeof callModes)[number];

export interface SiteSettings {
  readonly calls: CallMode;
  /** Gives the site's pages a `document.modelContext` where the browser has none. */
  readonly polyfill: boolean;
  /** Offers `read_page` and `screenshot`. */
  readonly reading: boolean;
}

export const defaultSite: SiteSettings = { calls: "ask", polyfill: true, reading: false };

/** A hub that this browser is paired with. */
export interface PairedHub {
  /** Such as http://127.0.0.1:7337. */
  readonly address: string;
  readonly token: string;
  /** The name of this browser, as the hub shows it. */
  readonly browser: string;
  /** In milliseconds since 1970. */
  readonly pairedAt?: number | undefined;
  /** In milliseconds since 1970; missing for a pairing that lasts until it is removed. */
  readonly expiresAt?: number | undefined;
}

export interface Settings {
  readonly hub?: PairedHub | undefined;
  /** No site offers anything. */
  readonly paused: boolean;
  /** By origin. A site that is missing has the defaults; whether it may be accessed is the browser's to say. */
  readonly sites: Readonly<Record<string, SiteSettings>>;
  /** Origins that the person allowed always, each for itself: the browser's permission may cover more. */
  readonly allowed?: readonly string[] | undefined;
  /** Origins that the person removed while a wider permission of the browser still covers them. */
  readonly removed?: readonly string[] | undefined;
}

export const noSettings: Settings = { paused: false, sites: {} };

/** The settings in what storage.local has, without what cannot be read. */
export function parseSettings(stored: Readonly<Record<string, unknown>>): Settings {
  const { hub, paused, sites, allowed, removed } = stored;
  const read = Object.entries(isJsonObject(sites) ? sites : {}).map(
    ([origin, site]) => [origin, parseSite(site)] as const,
  );
  return {
    hub: parseHub(hub),
    paused: paused === true,
    sites: Object.fromEntries(read),
    allowed: parseOrigins(allowed),
    removed: parseOrigins(removed),
  };
}

export function siteOf({ sites }: Pick<Settings, "sites">, origin: string): SiteSettings {
  return (Object.hasOwn(sites, origin) && sites[origin]) || defaultSite;
}

function parseOrigins(stored: unknown): readonly string[] {
  return Array.isArray(stored) ? stored.filter((origin) => typeof origin === "string" && URL.canParse(origin)) : [];
}

function parseSite(stored: unknown): SiteSettings {
  if (!isJsonObject(stored)) return defaultSite;
  const { calls, polyfill, reading } = stored;
  return {
    calls: callModes.find((mode) => mode === calls) ?? defaultSite.calls,
    polyfill: typeof polyfill === "boolean" ? polyfill : defaultSite.polyfill,
    reading: reading === true,
  };
}

function parseHub(stored: unknown): PairedHub | undefined {
  if (!isJsonObject(stored)) return undefined;
  const { address, token, browser, pairedAt, expiresAt } = stored;
  if (typeof address !== "string" || typeof token !== "string" || typeof browser !== "string") return undefined;
  const times = Object.entries({ pairedAt, expiresAt }).filter(([, time]) => typeof time === "number");
  return { address, token, browser, ...Object.fromEntries(times) };
}
