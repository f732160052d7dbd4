import type { ProvenHub } from "../../hub-client/index.ts";
import { PagewireError } from "../../wire/index.ts";
import { askHub } from "./ask-hub.ts";

/** An address of the hub's own pages that signs in the first person to open it. */
export interface SignInAddress {
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A code that allows a page to open terminals. */
export interface ShellCode {
  readonly code: string;
  /** The address of the hub's page with a terminal, where the code is for that. */
  readonly url?: string;
  /** The origin whose pages may use it, if that is not the hub's own. */
  readonly origin?: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Has a hub make a code for its own page with a terminal, or for the pages of another origin. */
export async function askForShellCode(hub: ProvenHub, origin: string | undefined): Promise<ShellCode> {
  const body = origin === undefined ? {} : { body: { origin } };
  const answer = await askHub({ ...hub, method: "POST", path: "/api/shell-codes", ...body });
  const { code, expiresAt } = answer;
  if (typeof code !== "string" || typeof expiresAt !== "number")
    throw new PagewireError("hub-unreachable", `Something answers at ${hub.url}, but not as a hub.`);
  if (typeof answer["origin"] === "string") return { code, origin: answer["origin"], expiresAt };
  // By the name that the hub is known by here, as for its other pages.
  const own = origin ?? new URL(hub.url).origin;
  return { code, url: `${own}/terminal#code=${code}`, expiresAt };
}

/** Requests a one-time code from a hub, for the user of this token. */
export async function askForCode(hub: ProvenHub): Promise<SignInAddress> {
  const { code, expiresAt } = await askHub({ ...hub, method: "POST", path: "/api/codes" });
  if (typeof code !== "string" || typeof expiresAt !== "number")
    throw new PagewireError("hub-unreachable", `Something answers at ${hub.url}, but not as a hub.`);
  // By the name that the hub is known by here, which the page's origin will be.
  return { url: `${new URL(hub.url).origin}/#code=${code}`, expiresAt };
}
