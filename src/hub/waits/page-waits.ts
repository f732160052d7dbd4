// The waits that only a person in front of the page can end: dialogs that they opened by themselves, and sign-ins that
// have ended. The inbox lists them: a dialog leads to its page, a sign-in names it.
import { randomUUID } from "node:crypto";
import { visibleText } from "../../wire/index.ts";
import type { OpenWait, Waits } from "./wait.ts";

/** A page whose token has expired, by that token. */
export interface SignedOutPage {
  readonly principal: string;
  readonly origin: string;
  readonly app: string;
}

export interface ConnectedPage extends SignedOutPage {
  readonly tabId: string;
}

/** The part of a page's description that is listed. */
export interface PageDescription {
  readonly title?: string | undefined;
  readonly dialog?: string | undefined;
}

export interface PageLink {
  described(description: PageDescription): void;
  closed(): void;
}

export interface PageWaits {
  connected(page: ConnectedPage, description: PageDescription): PageLink;
  /** The token of a page has expired, and it was refused. */
  signedOut(page: SignedOutPage): void;
  /** Its page is signed in again, or closed; returns whether its sign-in waited. */
  signedIn(page: SignedOutPage): boolean;
}

/** Max pages of a principal that wait for a sign-in. */
const maxSignIns = 20;
/** A page tries again within half a minute: one that has not is closed. */
const retryTime = 90_000;

const dialogReason = "The page asks this in a dialog of its own, and only a person in front of it can answer.";
const signInReason = "The sign-in of this page has ended. Until you sign in there again, nobody can call its tools.";

/** Runs a callback after a time; returns a function that cancels it. */
type After = (milliseconds: number, run: () => void) => () => void;

export function createPageWaits(waits: Waits, after: After = afterIfAlive): PageWaits {
  return new Pages(waits, after);
}

/** Keeps no process alive. */
function afterIfAlive(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds).unref();
  return () => clearTimeout(timer);
}

interface SignIn {
  readonly wait: OpenWait;
  stopTimer: () => void;
}

/** By principal: what its connected pages ask, by connection, and its pages that have to sign in, by origin and app. */
class Pages implements PageWaits {
  readonly #waits: Waits;
  readonly #after: After;
  readonly #dialogs = new Map<string, Map<object, OpenWait>>();
  readonly #signIns = new Map<string, Map<string, SignIn>>();

  constructor(waits: Waits, after: After) {
    this.#waits = waits;
    this.#after = after;
    waits.addSource({
      list: async (principal) => [
        ...(this.#dialogs.get(principal)?.values() ?? []),
        ...[...(this.#signIns.get(principal)?.values() ?? [])].map(({ wait }) => wait),
      ],
      answer: async () => false,
    });
  }

  connected(page: ConnectedPage, first: PageDescription): PageLink {
    const { principal } = page;
    const link = {};
    let title = first.title;
    this.signedIn(page);
    const described = (description: PageDescription) => {
      title = description.title ?? title;
      this.#takeDialog(link, page, { title, dialog: description.dialog });
    };
    described(first);
    return {
      described,
      closed: () => {
        if (remove(this.#dialogs, principal, link)) this.#waits.changed(principal);
      },
    };
  }

  signedOut(page: SignedOutPage): void {
    const { principal, origin, app } = page;
    const own = this.#signIns.get(principal) ?? new Map<string, SignIn>();
    const known = own.get(keyOf(page));
    if (!known && own.size >= maxSignIns) return;
    known?.stopTimer();
    const wait = known?.wait ?? {
      ...open({ kind: "sign-in", reason: signInReason, origin, app }),
      id: this.#waits.idOf("sign-in", principal, origin, app),
    };
    own.set(keyOf(page), { wait, stopTimer: this.#after(retryTime, () => void this.signedIn(page)) });
    this.#signIns.set(principal, own);
    if (!known) this.#waits.changed(principal);
  }

  #takeDialog(link: object, page: ConnectedPage, { title, dialog }: PageDescription): void {
    const { principal, tabId: tab, origin, app } = page;
    const known = this.#dialogs.get(principal)?.get(link);
    const message = dialog === undefined ? undefined : visibleText(dialog);
    if (known?.message === message) return;
    if (message === undefined) remove(this.#dialogs, principal, link);
    else {
      const own = this.#dialogs.get(principal) ?? new Map<object, OpenWait>();
      const about = { tab, page: title === undefined ? undefined : visibleText(title), origin, app, message };
      this.#dialogs.set(principal, own.set(link, open({ kind: "dialog", reason: dialogReason, ...about })));
    }
    this.#waits.changed(principal);
  }

  signedIn(page: SignedOutPage): boolean {
    const found = this.#signIns.get(page.principal)?.get(keyOf(page));
    if (!found) return false;
    found.stopTimer();
    remove(this.#signIns, page.principal, keyOf(page));
    this.#waits.changed(page.principal);
    return true;
  }
}

function open(wait: Omit<OpenWait, "id" | "since">): OpenWait {
  return { id: randomUUID(), since: new Date().toISOString(), ...wait };
}

function keyOf({ origin, app }: SignedOutPage): string {
  return JSON.stringify([origin, app]);
}

/** Removes an entry, and with the last of a principal its map. */
function remove<Key>(all: Map<string, Map<Key, unknown>>, principal: string, key: Key): boolean {
  const own = all.get(principal);
  const isThere = own?.delete(key) === true;
  if (own?.size === 0) all.delete(principal);
  return isThere;
}
