// Joins a view to the page around it, whose tools a terminal's programs use.
import type { SignedInToken } from "./session/shell-credentials.ts";
import { connectPage } from "../page/index.ts";
import type { Page } from "../page/index.ts";
import { offerActions } from "../page/actions/index.ts";
import type { Action } from "../page/actions/index.ts";

export interface JoinedPage {
  /** The tab's id, once it is known. */
  readonly tabId: string | undefined;
  readonly isConnected: boolean;
  /** Sets the token with which the hub accepted the view; undefined after signing out. */
  signedIn(token: SignedInToken | undefined): void;
  close(): void;
}

export interface JoinPageOptions {
  readonly hub: string;
  /** The app's own page, if it has one. */
  readonly page: Page | undefined;
  readonly actions: readonly Action[];
  /** Called when the hub knows the tab, possibly under a new id. */
  onTab(): void;
  onError(error: unknown): void;
}

interface OwnPage {
  readonly page: Promise<Page>;
  users: number;
}

/** Pages connected for views, by hub: all views of a document share one tab. */
const ownPages = new Map<string, OwnPage>();

/** Offers the actions in the app's page, or if that has none for this hub, in a page of the view's own. */
export function joinPage({ hub, page: given, actions, onTab, onError }: JoinPageOptions): JoinedPage {
  const left = new AbortController();
  const { signal } = left;
  let tabId: string | undefined;
  let isConnected = false;

  function join(page: Page): void {
    if (signal.aborted) return;
    const offered = offerActions(page, actions);
    const follow = (): void => {
      isConnected = page.state.status === "connected";
      if (page.state.status !== "connected") return;
      ({ tabId } = page.state);
      onTab();
    };
    const stop = page.onState(follow);
    signal.addEventListener("abort", () => {
      stop();
      offered.remove();
    });
    // Deferred until the caller has the returned object.
    queueMicrotask(() => signal.aborted || follow());
  }

  // Asynchronous also for a page that is already connected.
  const known = given ?? pageOfDocument(hub);
  const found = Promise.resolve(known ?? takeOwnPage(hub, signal));
  found.then(join, onError);
  return {
    get tabId() {
      return tabId;
    },
    get isConnected() {
      return isConnected;
    },
    signedIn(token) {
      if (known || !isHubsOwn(hub)) return;
      found.then(
        (page) => page.setToken(token ?? null),
        () => undefined,
      );
    },
    close: () => left.abort(),
  };
}

/** The script tag's page, if it has the same hub. */
function pageOfDocument(hub: string): Page | undefined {
  const { pagewire } = window as { readonly pagewire?: Page };
  return pagewire?.hub === hub && pagewire.state.status !== "closed" ? pagewire : undefined;
}

/** On the hub's own pages a terminal credential also lets the page register tools. */
function isHubsOwn(hub: string): boolean {
  return new URL(hub).origin === location.origin;
}

/** Shares one page between all views, closed with the last of them. */
function takeOwnPage(hub: string, signal: AbortSignal): Promise<Page> {
  const own = ownPages.get(hub) ?? { page: connectOwnPage(hub), users: 0 };
  ownPages.set(hub, own);
  own.users += 1;
  signal.addEventListener("abort", () => {
    own.users -= 1;
    if (own.users > 0) return;
    ownPages.delete(hub);
    own.page.then(
      (page) => page.close(),
      () => undefined,
    );
  });
  return own.page;
}

function connectOwnPage(hub: string): Promise<Page> {
  // Signed out, it offers nothing.
  return connectPage({ app: "terminal", hub, ...(isHubsOwn(hub) ? { token: null } : {}) });
}
