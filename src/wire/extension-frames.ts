// The first frames of a link of the browser extension, and their answers. After its hello a page of it is as any other.
import { duration, name, optional, text } from "./fields.ts";
import type { Field } from "./fields.ts";
import type { FrameIn, FrameTable } from "./codec.ts";
import { fromPage } from "./from-page.ts";
import { visibleText } from "./show-invisible.ts";
import { toNewPage } from "./to-new-page.ts";

const token = text(8192);

/** The max characters of a browser's name. */
export const browserNameMost = 100;

const browserName: Field<string> = (value): value is string =>
  text(browserNameMost)(value) && visibleText(value).trim() !== "";

/** Frames that an extension sends first; all others are of `fromPage`. */
export const fromExtension = {
  /** `origin` is that of the page for which the extension speaks, as the browser knows it. */
  hello: { ...fromPage.hello, origin: optional(text(2048)) },
  /** Exchanges a one-time code for the token of this browser. The link ends with the answer. */
  pair: { code: name, name: browserName },
  /** Ends the pairing of this token. The link ends with it; there is no other answer. */
  unpair: { token },
} as const satisfies FrameTable;

export type FrameFromExtension = FrameIn<typeof fromExtension>;

/** Answers to `pair`. */
export const toExtension = {
  ...toNewPage,
  /** `name` may differ from that of the request: no two browsers have the same. Without `expiresAt` it lasts until it is removed. */
  paired: { token, name: browserName, expiresAt: optional(duration) },
} as const satisfies FrameTable;

export type FrameToExtension = FrameIn<typeof toExtension>;

const extensionOrigin = /^(?:chrome|moz|safari-web)-extension:\/\/[a-z0-9.-]+$/i;

/** Whether this is the origin of a browser extension, as browsers send it. */
export function isExtensionOrigin(origin: string | undefined): origin is string {
  return origin !== undefined && extensionOrigin.test(origin);
}

/** The advice for a person who wants to allow the origin of an extension. */
export const pairInstead =
  "An extension is not allowed, but paired with the hub: it speaks for every site that you allow in the browser. Pair it with: npx pagewire extension";
