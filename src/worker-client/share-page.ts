// One page for all clients of a document that connect it in the same way: agents see one tab, with the tools of all.
import { defaultHub } from "../page/index.ts";
import type { Page, PageOptions, connectPage, offerToBrowser } from "../page/index.ts";
import { logError } from "../toolbox/index.ts";
import type { LocalToolbox, Registration, ToolDefinition } from "../toolbox/index.ts";
import type { OnError } from "../wire/index.ts";
import { shareOffer } from "./share-offer.ts";
import type { SharedOffer } from "./share-offer.ts";

export interface SharedPage {
  readonly page: Page;
  /** Registers a tool; when it is removed, an earlier one of its name, of any client, is offered again. */
  readonly registerTool: LocalToolbox["registerTool"];
  /** Whether this client wants the browser's own agent to have the tools: it has those of all clients while one wants it. */
  offerToBrowser(isWanted: boolean): void;
  /** The tools that the browser has taken; none for a client that does not want it. */
  browserNames(): readonly string[];
  /** Takes the client out; the last one closes the page. Can be called twice. */
  leave(): void;
}

/** A page with the clients that use it, by their error handlers. */
interface Shared {
  readonly page: Promise<Page>;
  readonly clients: Set<{ readonly onError: OnError | undefined }>;
  readonly registerTool: Promise<LocalToolbox["registerTool"]>;
  readonly browserOffer: Promise<SharedOffer>;
}

/** The browser's parts. */
export interface PageMaker {
  readonly connect: typeof connectPage;
  readonly offer: typeof offerToBrowser;
}

const pagesOf = new WeakMap<typeof connectPage, Map<string, Shared>>();

/** The page of these options: the one that another client has connected, or a new one. */
export async function sharePage(
  { connect, offer }: PageMaker,
  { onError, token, ...options }: PageOptions,
): Promise<SharedPage> {
  const { app, hub = defaultHub, worker, serviceWorker } = options;
  const pages = pagesOf.get(connect) ?? new Map<string, Shared>();
  pagesOf.set(connect, pages);
  const key = JSON.stringify([app, hub.replace(/\/$/, ""), worker, serviceWorker]);
  const known = pages.get(key);
  const shared = known ?? connectShared();
  const client = { onError };
  shared.clients.add(client);

  function connectShared(): Shared {
    const clients: Shared["clients"] = new Set();
    const tellAll: OnError = (error, context) => {
      const handlers = [...clients].flatMap((each) => each.onError ?? []);
      for (const handle of handlers.length === 0 ? [logError] : handlers) handle(error, context);
    };
    const page = connect({ ...options, ...(token === undefined ? {} : { token }), onError: tellAll });
    const shareOfferOf = (made: Page) => shareOffer((signal) => offer(made, { onError: tellAll, signal }));
    const made = { page, clients, registerTool: page.then(stackTools), browserOffer: page.then(shareOfferOf) };
    made.browserOffer.catch(() => {});
    made.registerTool.catch(() => pages.get(key) === made && pages.delete(key));
    pages.set(key, made);
    return made;
  }

  const page = await shared.page;
  const registerTool = await shared.registerTool;
  const browserOffer = await shared.browserOffer;
  if (known && token !== undefined) page.setToken(token);
  return {
    page,
    registerTool,
    offerToBrowser: (isWanted) => browserOffer.set(client, isWanted),
    browserNames: () => browserOffer.names(client),
    leave() {
      browserOffer.set(client, false);
      if (!shared.clients.delete(client) || shared.clients.size > 0) return;
      if (pages.get(key) === shared) pages.delete(key);
      page.close();
    },
  };
}

interface Stacked {
  readonly definition: ToolDefinition;
  registration: Registration;
}

/** Keeps the tools of each name, the newest last, which is the one that the page offers. */
function stackTools({ registerTool }: Page): LocalToolbox["registerTool"] {
  const stacks = new Map<string, Stacked[]>();
  return (definition) => {
    const { name } = definition as ToolDefinition;
    const stacked: Stacked = { definition: definition as ToolDefinition, registration: registerTool(definition) };
    const stack = stacks.get(name) ?? [];
    stacks.set(name, stack);
    stack.push(stacked);
    return {
      name,
      remove() {
        const at = stack.indexOf(stacked);
        if (at < 0) return;
        stack.splice(at, 1);
        stacked.registration.remove();
        const top = stack.at(-1);
        if (!top) stacks.delete(name);
        else if (at === stack.length) top.registration = registerTool(top.definition);
      },
    };
  };
}
