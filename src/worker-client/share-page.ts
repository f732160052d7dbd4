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
  /** Whether this client wants the browser's own agent to have its tools. */
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
  readonly tools: Promise<ToolStacks>;
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
    const tools = page.then(stackTools);
    const browserOffer = tools.then(async ({ ownerOf }) => {
      const { toolbox } = await page;
      return shareOffer({ toolbox, ownerOf, offer: (view, signal) => offer(view, { onError: tellAll, signal }) });
    });
    const made = { page, clients, tools, browserOffer };
    made.browserOffer.catch(() => {});
    made.tools.catch(() => pages.get(key) === made && pages.delete(key));
    pages.set(key, made);
    return made;
  }

  const page = await shared.page;
  const { register } = await shared.tools;
  const browserOffer = await shared.browserOffer;
  if (known && token !== undefined) page.setToken(token);
  return {
    page,
    registerTool(definition) {
      const { name, remove } = register(definition as ToolDefinition, client);
      browserOffer.look();
      return {
        name,
        remove() {
          remove();
          browserOffer.look();
        },
      };
    },
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
  readonly owner: object;
  registration?: Registration;
}

interface ToolStacks {
  register(definition: ToolDefinition, owner: object): Registration;
  /** The client whose tool of this name the page offers. */
  ownerOf(name: string): object | undefined;
}

/** Keeps the tools of each name, the newest last, which is the one that the page offers. */
function stackTools({ registerTool }: Page): ToolStacks {
  const stacks = new Map<string, Stacked[]>();

  function register(definition: ToolDefinition, owner: object): Registration {
    const { name } = definition;
    const stacked: Stacked = { definition, owner };
    const stack = stacks.get(name) ?? [];
    stacks.set(name, stack);
    stack.push(stacked);
    const leave = () => {
      stack.splice(stack.indexOf(stacked), 1);
      if (stack.length === 0) stacks.delete(name);
    };
    try {
      // The toolbox tells its listeners before it returns, and they look for the owner.
      stacked.registration = registerTool(definition);
    } catch (error) {
      leave();
      throw error;
    }
    return {
      name,
      remove() {
        if (!stack.includes(stacked)) return;
        const isTop = stack.at(-1) === stacked;
        leave();
        stacked.registration?.remove();
        const top = stack.at(-1);
        if (top && isTop) top.registration = registerTool(top.definition);
      },
    };
  }

  return { register, ownerOf: (name) => stacks.get(name)?.at(-1)?.owner };
}
