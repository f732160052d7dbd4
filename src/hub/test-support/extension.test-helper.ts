// The browser extension, from the hub's point of view: it pairs its browser, and says of which site each of its pages is.
import { toExtension } from "../../wire/index.ts";
import type { FrameToExtension } from "../../wire/index.ts";
import { askOwn } from "./own.test-helper.ts";
import { connectPage, helloOf, openPage } from "./page.test-helper.ts";
import type { TestPage, TestPageOptions } from "./page.test-helper.ts";
import { openSocket, playPeer } from "./peer.test-helper.ts";
import type { Peer } from "./peer.test-helper.ts";

interface Door {
  readonly url: string;
  readonly token: string;
}

export const extension = "chrome-extension://abcdefghijklmnopabcdefghijklmnop";

export type Paired = Extract<FrameToExtension, { type: "paired" }>;

/** A code to pair a browser with, as a program asks for it. */
export async function mintBrowserCode(hub: Door, token = hub.token): Promise<string> {
  const { body } = await askOwn(hub, "POST /api/browser-codes", { token, origin: undefined });
  return String(body?.["code"]);
}

/** Opens an extension's socket that has sent its first frame. */
export async function openExtension(
  hub: Pick<Door, "url">,
  frame: { readonly type: string; readonly [field: string]: unknown },
  origin = extension,
): Promise<Peer<typeof toExtension>> {
  const opened = await openSocket(`${hub.url}/page`, { headers: { Origin: origin } });
  const peer = playPeer(toExtension, opened);
  peer.send(frame);
  return peer;
}

export interface PairOptions {
  readonly code?: string;
  readonly name?: string;
  readonly origin?: string;
}

/** Pairs a browser. */
export async function pairBrowser(hub: Door, { code, name = "Chrome", origin }: PairOptions = {}): Promise<Paired> {
  const frame = { type: "pair", code: code ?? (await mintBrowserCode(hub)), name };
  return (await (await openExtension(hub, frame, origin)).next("paired")).frame;
}

/** The answer to a pairing that the hub refuses. */
export async function refusedPairing(hub: Door, options: PairOptions = {}) {
  const { code = await mintBrowserCode(hub), name = "Chrome", origin } = options;
  const peer = await openExtension(hub, { type: "pair", code, name }, origin);
  const { frame } = await peer.next("refused");
  return { ...frame, close: await peer.closeName() };
}

/** Connects a page of a site through a paired browser's extension. */
export function connectTab(
  hub: Door,
  token: string,
  { claims = "https://news.example", origin = extension, ...options }: TestPageOptions = {},
): Promise<TestPage> {
  return connectPage(hub.url, { ...options, token, claims, origin });
}

/** The paired browsers, as their user sees them. */
export async function listBrowsers(
  hub: Door,
  token = hub.token,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { body } = await askOwn(hub, "GET /api/browsers", { token, origin: undefined });
  return body?.["browsers"] as readonly Readonly<Record<string, unknown>>[];
}

/** The answer to a page of an extension that the hub refuses. */
export async function refusedTab(hub: Pick<Door, "url">, options: TestPageOptions) {
  const page = await openPage(hub.url, { origin: extension, ...options });
  page.send(helloOf(options));
  const { frame } = await page.next("refused");
  return { ...frame, close: await page.closeName() };
}

export const tabsOf = async (hub: Door, token = hub.token) =>
  (await askOwn(hub, "GET /api/tabs", { token, origin: undefined })).body?.["tabs"] as readonly Record<
    string,
    unknown
  >[];

export const removeBrowser = (hub: Pick<Door, "url">, id: unknown, token: string) =>
  askOwn(hub, `DELETE /api/browsers/${String(id)}`, { token, origin: undefined });
