// The page that a view is in: whose tools a terminal's programs use, and whose tab they act in.
import type { SignedInToken } from "./session/shell-credentials.ts";
import { connectPage } from "../page/index.ts";
import type { Page } from "../page/index.ts";
import { offerActions } from "../page/actions/index.ts";
import type { Action } from "../page/actions/index.ts";

export interface JoinedPage {
  /** The tab's id, once it is known. */
  readonly tabId: string | undefined;
  readonly isConnected: boolean;
  /** With which token the hub let a view in; undefined when that is over. */
  signedIn(token: SignedInToken | undefined): void;
  close(): void;
}

export interface JoinPageOptions {
  readonly hub: string;
  /** The app's own page, if it has one. */
  readonly page: Page | undefined;
  readonly actions: readonly Action[];
  /** The tab is known to the hub, perhaps by another id, or again. */
  onTab(): void;
  onError(error: unknown): void;
}

interface OwnPage {
  readonly page: Promise<Page>;
  users: number;
}

/** Pages that were connected for views, by hub: all views of a document are in the same tab. */
const ownPages = new Map<string, OwnPage>();

/** Offers the actions in the app's page, or where it has none for this hub, in one of the view's own. */
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
    // Not before whoever asks for the page has it.
    queueMicrotask(() => signal.aborted || follow());
  }

  // Whoever joins is told later, also of a page that is connected already.
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

/** The page that the script tag connected, where it is one of the same hub. */
function pageOfDocument(hub: string): Page | undefined {
  const { pagewire } = window as { readonly pagewire?: Page };
  return pagewire?.hub === hub && pagewire.state.status !== "closed" ? pagewire : undefined;
}

/** In the hub's own pages who may open terminals may offer tools, and where pages need a token, nobody else may. */
function isHubsOwn(hub: string): boolean {
  return new URL(hub).origin === location.origin;
}

/** One page of ours for all views, closed when the last of them is. */
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
  // Until somebody is signed in, it offers nothing.
  return connectPage({ app: "terminal", hub, ...(isHubsOwn(hub) ? { token: null } : {}) });
}
