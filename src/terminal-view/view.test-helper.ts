// A view in a real page, with a scripted hub behind its socket and a page of the test's own.
import { onTestFinished, vi } from "vitest";
import type { Link, LinkEvents } from "../link/index.ts";
import type { Page, PageState } from "../page/index.ts";
import { createToolbox } from "../toolbox/index.ts";
import { HubEnd } from "./session/hub-end.test-helper.ts";
import { mountTerminal } from "./mount-terminal.ts";
import type { TerminalOptions } from "./terminal-options.ts";

export const hub = "http://hub.test";
export const tokenKey = `pagewire.shell-token ${hub}`;

/** Sockets that lead to a scripted hub, until the test is over. */
export function scriptSockets() {
  const ends: HubEnd[] = [];
  const urls: string[] = [];

  class ScriptedSocket extends EventTarget {
    readyState = 0;
    bufferedAmount = 0;
    binaryType = "blob";
    #events: LinkEvents | undefined;

    constructor(url: string | URL) {
      super();
      urls.push(String(url));
      queueMicrotask(() => {
        this.readyState = 1;
        ends.push(new HubEnd(this.#link()));
        this.dispatchEvent(new Event("open"));
      });
    }

    send(data: string): void {
      queueMicrotask(() => this.#events?.message(data));
    }

    close(code = 1000, reason = ""): void {
      if (this.readyState === 3) return;
      this.readyState = 3;
      queueMicrotask(() => {
        this.#events?.closed({ code, reason });
        this.dispatchEvent(new CloseEvent("close", { code, reason }));
      });
    }

    #link(): Link {
      return {
        open: true,
        queuedBytes: 0,
        send: (data) => queueMicrotask(() => this.dispatchEvent(new MessageEvent("message", { data }))),
        close: ({ code, reason } = { code: 1000, reason: "" }) => this.close(code, reason),
        start: (events) => (this.#events = events),
      };
    }
  }

  vi.stubGlobal("WebSocket", ScriptedSocket);
  onTestFinished(() => void vi.unstubAllGlobals());
  return {
    ends,
    urls,
    /** The end of the newest link, once it is there. */
    hub: () => vi.waitFor(() => ends.at(-1) ?? Promise.reject(new Error("Nothing has connected."))),
  };
}

/** A page whose tab is this one, or another one if the test sets that. */
export function fakePage(tabId = "tab1") {
  const unneeded = () => Promise.reject(new Error("No tool is called here."));
  const toolbox = createToolbox({ loadValidator: unneeded, loadCalls: unneeded });
  const listeners = new Set<(state: PageState) => void>();
  const page = {
    hub,
    toolbox,
    isClosed: false,
    state: { status: "connected", message: "", tabId, via: { kind: "socket" } } as PageState,
    onState(listener: (state: PageState) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    become(state: PageState) {
      page.state = state;
      for (const listener of listeners) listener(state);
    },
    close() {
      page.isClosed = true;
    },
  };
  return page;
}

export type FakePage = ReturnType<typeof fakePage>;

/** Mounts a view of the size of 800 by 400 pixels. */
export function mount(options: TerminalOptions & { readonly own?: FakePage } = {}) {
  const { own = fakePage(), ...rest } = options;
  const place = document.createElement("div");
  place.style.cssText = "width: 800px; height: 400px";
  document.body.append(place);
  const view = mountTerminal(place, { hub, page: own as unknown as Page, actions: false, ...rest });
  onTestFinished(() => {
    view.close();
    place.remove();
  });
  const root = place.querySelector("pagewire-terminal")?.shadowRoot;
  if (!root) throw new Error("Nothing was mounted.");
  return { place, view, root, own, ...partsOf(root) };
}

function partsOf(root: ShadowRoot) {
  const find = <Kind extends HTMLElement>(selector: string): Kind => {
    const found = root.querySelector<Kind>(selector);
    if (!found) throw new Error(`The view has no ${selector}.`);
    return found;
  };
  const rows = () =>
    [...root.querySelectorAll(".xterm-rows > div")].map(({ textContent }) =>
      textContent.replaceAll("\u00a0", " ").trimEnd(),
    );
  return {
    find,
    /** The visible text of the screen. */
    screen: () => rows().join("\n").trimEnd(),
    /** Waits until the screen shows a text. */
    reads: (text: string) =>
      vi.waitFor(() => {
        if (!rows().join("\n").includes(text)) throw new Error(`The screen has no "${text}": ${rows().join("\n")}`);
      }),
    notes: () => [...root.querySelectorAll(".note")].map((note) => note.textContent),
    button: (text: string): HTMLButtonElement => {
      const shown = [...root.querySelectorAll("button")].find(
        (each) => each.textContent === text && each.checkVisibility(),
      );
      if (!shown) throw new Error(`The view has no button "${text}".`);
      return shown;
    },
  };
}

/** A view that shows a terminal. */
export async function mountOpen(options: TerminalOptions & { readonly own?: FakePage } = {}) {
  const sockets = scriptSockets();
  localStorage.setItem(tokenKey, "kept-token");
  onTestFinished(() => localStorage.clear());
  const mounted = mount(options);
  const end = await welcome(sockets);
  await vi.waitFor(() => {
    if (mounted.view.state.status !== "connected") throw new Error("Not connected yet.");
  });
  return { ...mounted, sockets, end };
}

/** Welcomes a view, and opens the terminal that it requests. */
export async function welcome(sockets: ReturnType<typeof scriptSockets>): Promise<HubEnd> {
  const end = await sockets.hub();
  await vi.waitFor(() => end.of("hello")[0] ?? Promise.reject(new Error("No hello came.")));
  end.welcome();
  const { columns, rows } = await vi.waitFor(() => end.of("open")[0] ?? Promise.reject(new Error("No open came.")));
  end.opened({ columns, rows });
  return end;
}
