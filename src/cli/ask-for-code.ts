import { PagewireError } from "../wire/index.ts";
import { askHub } from "./ask-hub.ts";

/** An address of the hub's own pages that signs in whoever opens it first. */
export interface SignInAddress {
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Has a hub make a one-time code, for whose token it is. */
export async function askForCode(hub: string, token: string): Promise<SignInAddress> {
  const { code, expiresAt } = await askHub({ url: hub, token, method: "POST", path: "/api/codes" });
  if (typeof code !== "string" || typeof expiresAt !== "number")
    throw new PagewireError("hub-unreachable", `Something answers at ${hub}, but not as a hub.`);
  // By the name that the hub is known by here, which the page's origin will be.
  return { url: `${new URL(hub.replace(/^ws/, "http")).origin}/#code=${code}`, expiresAt };
}
