import { shownHub, shownTab } from "pagewire/extension";
import type { FromOwnPage, Reply, Settings, ShownTab } from "pagewire/extension";
import { render } from "preact";
import type { ComponentChild } from "preact";
import { onTestFinished } from "vitest";
import { createFakeExtension } from "../../../../src/extension/fake-extension-api.test-helper.ts";
import { openStore } from "./open-store.ts";
import type { Store } from "./open-store.ts";

export const hub = { address: "http://127.0.0.1:7337", token: "t", browser: "Chrome on Linux" };
export const shop = "https://shop.example";
export const shopTab = { id: 7, windowId: 1, active: true, url: `${shop}/basket`, title: "Basket" };
export const paired: Settings = { hub, paused: false, sites: {} };
export const connected = { status: "connected", message: "Connected to 127.0.0.1:7337." } as const;

export interface Start {
  readonly settings?: Settings;
  readonly session?: Readonly<Record<string, unknown>>;
  readonly granted?: readonly string[];
  /** The worker's answer to each message. */
  readonly reply?: (message: FromOwnPage) => Reply | undefined;
}

/** Shows a page of the extension over a browser in memory, with a worker that only answers. */
export async function showPage(page: (store: Store) => ComponentChild, start: Start = {}) {
  const { settings = paired, session = { [shownHub]: connected }, granted = [], reply = () => ({ ok: true }) } = start;
  const fake = createFakeExtension();
  const sent: FromOwnPage[] = [];
  const opened: number[] = [];
  fake.tabs.set(shopTab.id, shopTab);
  for (const pattern of granted) fake.granted.add(pattern);
  await fake.api.storage.local.set({ ...settings });
  await fake.api.storage.session.set(session);
  fake.api.runtime.onMessage.addListener((message, _sender, answer) => {
    const said = message as FromOwnPage;
    if (said.type === "opened") opened.push(said.tab);
    else sent.push(said);
    answer(reply(said));
    return undefined;
  });
  const store = openStore(fake.api);
  const root = document.createElement("div");
  document.body.append(root);
  onTestFinished(() => {
    store.close();
    render(null, root);
    root.remove();
  });
  render(page(store), root);
  const all = (selector: string): HTMLElement[] => [...root.querySelectorAll<HTMLElement>(selector)];
  return {
    ...{ fake, sent, opened, root, all },
    text: () => root.textContent,
    /** By its label, or its text. */
    button: (name: string) =>
      all("button").find((each) => (each.ariaLabel ?? each.textContent) === name) ??
      fail(
        `There is no button “${name}” among: ${all("button")
          .map((each) => each.ariaLabel ?? each.textContent)
          .join(", ")}`,
      ),
    showTab: (shown: Partial<ShownTab>) =>
      fake.api.storage.session.set({
        [shownTab(shopTab.id)]: { origin: shop, state: undefined, tools: [], calls: [], ...shown },
      }),
  };
}

function fail(message: string): never {
  throw new Error(message);
}
