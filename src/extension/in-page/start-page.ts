// The extension's script in a page: offers the page's tools to the hub, for as long as the worker lets it.
import type { ToPage } from "../messages.ts";
import { shownToolsMost } from "../port/parse-messages.ts";
import type { Page } from "../../page/index.ts";
import { createAskPerson } from "./ask-person.ts";
import { isSite, keepBridgePort, whenVisited } from "./context.ts";
import { createPictures } from "./ask-pictures.ts";
import { createExtensionPage } from "./extension-page.ts";
import type { ExtensionPage, PageSettings } from "./extension-page.ts";
import { createGuardedCalls } from "./guard-calls.ts";
import { readsOnly } from "./reads-only.ts";
import { isHostedAt, onHostChanged } from "./page-host.ts";
import { createToldCalls } from "./tell-calls.ts";
import { openWorkerPort } from "./worker-port.ts";
import type { ContentRuntime, WorkerPort } from "./worker-port.ts";

declare global {
  /** Whether the extension's script runs in this document. */
  var pagewireRuns: boolean | undefined;
}

/** Called when the script runs in a page, which may be more than once. */
export function startPage(runtime: ContentRuntime): void {
  if (!isSite() || globalThis.pagewireRuns) return;
  globalThis.pagewireRuns = true;
  keepBridgePort();
  whenVisited(() => whenThereIsAHead(() => run(runtime)));
}

/** The parser may not have come to it. */
function whenThereIsAHead(start: () => void): void {
  if (document.head) return start();
  document.addEventListener("DOMContentLoaded", start, { once: true });
}

function run(runtime: ContentRuntime): void {
  const ending = new AbortController();
  const { signal } = ending;
  const saved = new Map<string, string>();
  let settings: (PageSettings & { readonly hub: string }) | undefined;
  let offered: ExtensionPage | undefined;
  const port: WorkerPort = openWorkerPort({ runtime, take, gone: end });
  const told = createToldCalls(port.post, (call) => calls.tookStop(call));
  const person = createAskPerson(port.post, () => crypto.randomUUID());
  const pictures = createPictures(port.post, () => crypto.randomUUID());
  const calls = createGuardedCalls(() => settings?.site.calls ?? "ask", person);

  function take(message: Exclude<ToPage, { readonly link: number }>): void {
    switch (message.type) {
      case "settings":
        return settle(message);
      case "answer":
        return person.answered(message.ask, message.answer);
      case "stop":
        return calls.stop(message.call);
      case "captured":
        return pictures.captured(message.capture, message);
      case "leave":
        return end();
    }
  }

  function settle(message: PageSettings): void {
    const { hub, paused } = message;
    if (hub === undefined || paused) return end();
    const isFirst = settings === undefined;
    settings = { ...message, hub };
    if (isFirst) for (const [name, text] of Object.entries(message.saved)) saved.set(name, text);
    // The port may be a new one.
    person.repeat();
    pictures.repeat();
    told.repeat();
    if (offered) {
      offered.refresh();
      offered.page.reconnect();
      tell(offered.page);
    }
    decide();
  }

  /** Offers the tools unless the page's own script does. Returns whether that has changed. */
  function decide(): boolean {
    const first = settings;
    if (!first || signal.aborted) return false;
    const before = offered;
    if (isHostedAt(first.hub)) {
      offered?.page.close();
      offered = undefined;
      const note = "This page offers its tools to the same hub itself.";
      port.post({ type: "tools", tools: [], note });
    } else if (!offered) {
      offered = createExtensionPage({
        settings: first,
        site: () => (settings ?? first).site,
        port,
        person,
        calls,
        saved,
        capture: pictures.capture,
      });
      follow(offered.page);
    }
    return offered !== before;
  }

  function follow(page: Page): void {
    page.onState((state) => port.post({ type: "state", state }));
    page.toolbox.subscribe(() => tell(page));
    page.onCall(told.tell);
    tell(page);
  }

  function tell({ state, toolbox }: Page): void {
    const tools = toolbox.list().slice(0, shownToolsMost);
    port.post({ type: "state", state });
    port.post({
      type: "tools",
      tools: tools.map(({ name, title, description = "", annotations }) => ({
        ...{ name, title, description, readOnly: readsOnly({ annotations }) },
      })),
    });
  }

  function end(): void {
    if (signal.aborted) return;
    ending.abort();
    offered?.page.close();
    pictures.end();
    port.close();
    globalThis.pagewireRuns = false;
  }

  onHostChanged(decide, signal);
  addEventListener("pagehide", calls.leave, { signal });
}
