import { bareHost, isLoopbackHost, isPrivateHost } from "../../../wire/index.ts";
import type { FetchRules } from "./fetch-policy.ts";
import { refusal } from "./fetch-policy.ts";

/** The origin of a request. */
export interface FetchPlace {
  /** The page's own origin, and its address. */
  readonly origin: string;
  readonly href: string;
  readonly hub: string | undefined;
}

/** Parses the address of a request, which may be relative to the page; throws unless the rules allow it. */
export function checkUrl(address: string, rules: FetchRules, place: FetchPlace): URL {
  if (!URL.canParse(address, place.href)) throw refusal("url", `"${address}" is not an address.`);
  const url = new URL(address, place.href);
  const { protocol, origin, username, password } = url;
  if (protocol !== "http:" && protocol !== "https:") {
    throw refusal("schemes", `only http and https can be fetched, and not ${protocol}`);
  }
  if (username || password) throw refusal("url", "an address may not hold a user's name or password.");
  checkNotHub(url, place.hub);
  if (origin === place.origin || rules.origins.includes(origin)) return url;
  if (!rules.privateNetworks && isPrivateHost(url)) {
    throw refusal("privateNetworks", `${origin} is in this computer or its network, and not listed by itself.`);
  }
  if (rules.origins.some((pattern) => matches(pattern, url))) return url;
  throw refusal("origins", `${origin} is neither the page's own origin nor one that the page lists.`);
}

/** No policy can allow the hub itself: its origin stores credentials and would accept them. */
function checkNotHub(url: URL, hub: string | undefined): void {
  if (hub === undefined) {
    throw refusal("hub", "it is not known which hub must be left alone. Register the action in its page.");
  }
  const other = new URL(hub);
  const isSamePlace = bareHost(url) === bareHost(other) || (isLoopbackHost(url) && isLoopbackHost(other));
  if (isSamePlace && portOf(url) === portOf(other)) throw refusal("hub", `${url.origin} is the hub itself.`);
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === "https:" ? "443" : "80");
}

function matches(pattern: string, { protocol, host }: URL): boolean {
  if (pattern === "*") return true;
  const [start, end] = pattern.split("*");
  return end !== undefined && `${protocol}//` === start && host.endsWith(end);
}
