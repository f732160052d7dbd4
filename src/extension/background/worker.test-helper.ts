// A worker over a browser in memory, and the page that its tab shows.
import type { RuntimePort, Sender } from "../browser-api.ts";
import { createFakeExtension } from "../fake-extension-api.test-helper.ts";
import type { FakeExtension } from "../fake-extension-api.test-helper.ts";
import { shownTab } from "../messages.ts";
import type { FromOwnPage, Reply, ShownTab, ToPage } from "../messages.ts";
import { startWorker } from "./start-worker.ts";

export const shop = "https://shop.example";
export const id = "abcdefghijklmnopabcdefghijklmnop";
export const hub = { address: "http://127.0.0.1:7337", token: "the-secret", browser: "Chrome" };
export const inShop: Sender = {
  ...{ id, origin: shop, url: `${shop}/basket`, frameId: 0, documentId: "d1", documentLifecycle: "active" },
  tab: { id: 7, windowId: 1, active: true },
};

/** A socket that is never answered. */
class Silent {
  readonly bufferedAmount = 0;
  addEventListener(): void {}
  send(): void {}
  close(): void {}
}

/** The document of every tab. Without an origin it is one into which the browser does not let the extension. */
export interface Shows {
  origin: string | undefined;
  /** Missing in Firefox. */
  document: string | undefined;
  isWatched: boolean;
}

export interface Started extends FakeExtension {
  readonly shows: Shows;
  /** The browser has stopped the worker, and starts it again for an event. */
  startAgain(): void;
}

export async function start({
  allowed = [`${shop}/*`],
  settings = { hub } as object,
  fake = createFakeExtension(),
} = {}): Promise<Started> {
  const shows: Shows = { origin: shop, document: "d1", isWatched: false };
  for (const pattern of allowed) fake.granted.add(pattern);
  await fake.api.storage.local.set({ ...settings });
  fake.api.scripting.executeScript = async (injection) => {
    fake.injections.push(injection);
    if (shows.origin === undefined) throw new Error("Cannot access contents of the page.");
    const found = injection.target.documentIds ? shows.isWatched : shows.origin;
    const { document } = shows;
    return [{ result: injection.func ? found : undefined, ...(document !== undefined && { documentId: document }) }];
  };
  function startAgain(): void {
    fake.stopWorker();
    startWorker(fake.api, { WebSocket: Silent as never });
  }
  startAgain();
  return Object.assign(fake, { shows, startAgain });
}

export interface Page {
  readonly port: RuntimePort;
  readonly got: ToPage[];
  readonly isGone: () => boolean;
}

export function connect({ contentApi }: FakeExtension, sender = inShop, name = "page"): Page {
  const port = contentApi(sender).connect({ name });
  const got: ToPage[] = [];
  let gone = false;
  port.onMessage.addListener((message) => got.push(message as ToPage));
  port.onDisconnect.addListener(() => (gone = true));
  return { port, got, isGone: () => gone };
}

export const tell = ({ api }: FakeExtension, message: FromOwnPage) =>
  api.runtime.sendMessage(message) as Promise<Reply>;

export const filesOf = ({ injections }: FakeExtension) => injections.flatMap(({ files = [] }) => files);

/** The popup's state of the tab. */
export async function shownOf({ api }: FakeExtension): Promise<ShownTab | undefined> {
  const name = shownTab(7);
  return (await api.storage.session.get(name))[name] as ShownTab | undefined;
}
