// A page of the SDK whose browser is the extension: its link goes through the worker's port, and so does what it keeps.
import { systemClock } from "../../link/index.ts";
import { browserTab, createPage, createSession } from "../../page/index.ts";
import type { BrowserServing, Chunks, Page, PageEnvironment, TabEnvironment } from "../../page/index.ts";
import { loadJsonSchemaValidator, makeCalls } from "../../toolbox/index.ts";
import { joinBrowserTools } from "../../webmcp/index.ts";
import type { Joining } from "../../webmcp/index.ts";
import { BridgedContext } from "../bridge/isolated-side.ts";
import type { ToPage } from "../messages.ts";
import { registerReading } from "../reading/register-reading.ts";
import type { ReadingOptions } from "../reading/register-reading.ts";
import type { SiteSettings } from "../settings.ts";
import type { AskPerson } from "./ask-person.ts";
import { modelContext as contextOf } from "./context.ts";
import type { GuardedCalls } from "./guard-calls.ts";
import { createDialog } from "./create-dialog.ts";
import { readsOnly } from "./reads-only.ts";
import type { WorkerPort } from "./worker-port.ts";

export type PageSettings = Extract<ToPage, { readonly type: "settings" }>;

export interface ExtensionPageOptions {
  readonly settings: PageSettings & { readonly hub: string };
  readonly site: () => SiteSettings;
  readonly port: WorkerPort;
  readonly person: AskPerson;
  readonly calls: GuardedCalls;
  /** Texts of this tab and origin, which its next document reads. */
  readonly saved: Map<string, string>;
  readonly capture: ReadingOptions["capture"];
}

export interface ExtensionPage {
  readonly page: Page;
  /** The site's setting has changed. */
  refresh(): void;
}

export function createExtensionPage(options: ExtensionPageOptions): ExtensionPage {
  const { settings, site, port, person, calls, saved, capture } = options;
  const { tab, hub } = settings;
  let joining: Joining | undefined;
  let stopReading: (() => void) | undefined;

  function serveModelContext({ toolbox, limits, onError, signal }: BrowserServing) {
    if (!signal.aborted) {
      joining = joinBrowserTools(toolbox, {
        ...{ modelContext, onError, guard: calls.guard, offersPerPage: limits.offersPerPage },
        offers: (tool) => site().calls !== "read-only" || readsOnly(tool),
      });
      signal.addEventListener("abort", joining.close);
    }
    return { names: () => [] };
  }

  const environment: PageEnvironment = {
    ...{ clock: systemClock, date: Date.now, random: Math.random },
    via: () => ({ kind: "service-worker" }),
    openLink: () => port.openLink(),
    onWoken(listener, signal) {
      for (const type of ["focus", "online"]) addEventListener(type, listener, { signal });
    },
    onModelContext(listener, signal) {
      let isThere = false;
      const look = () => {
        if (isThere || !modelContext()) return;
        isThere = true;
        listener();
      };
      look();
      for (const type of ["readystatechange", "modelcontext"]) document.addEventListener(type, look, { signal });
    },
  };

  const tabEnvironment: TabEnvironment = {
    ...browserTab(),
    storage: {
      get: (name) => (name === "tab" ? tab : saved.get(name)),
      set(name, value) {
        saved.set(name, value);
        port.post({ type: "save", name, value });
      },
    },
    // The browser itself tells its tabs apart.
    takeLock: async () => true,
    openChannel: () => ({ send() {}, close() {} }),
  };

  const chunks: Chunks = {
    session: async () => ({ startSession: (session) => createSession(session, tabEnvironment), makeCalls }),
    validator: loadJsonSchemaValidator,
    dialog: async () => createDialog(person, calls),
    worker: () => Promise.reject(new Error("The extension has its own worker.")),
    // The worker's socket follows no rule of the page.
    unreachable: async () => ({ whyUnreachable: async () => undefined }),
    modelContext: async () => ({ serveModelContext }),
  };

  const app = location.hostname.slice(0, 128);
  const page = createPage({ app, hub, browserTools: true }, { environment, chunks });

  function settleReading(): void {
    if (site().reading) {
      stopReading ??= registerReading(page.toolbox, { capture, guard: calls.guard });
    } else {
      stopReading?.();
      stopReading = undefined;
    }
  }

  settleReading();
  return {
    page,
    refresh() {
      settleReading();
      joining?.refresh();
    },
  };
}

function modelContext(): unknown {
  return contextOf((port) => (globalThis.pagewireModelContext = new BridgedContext(port)));
}
