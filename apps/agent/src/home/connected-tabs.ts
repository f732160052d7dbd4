// The live list of the tabs that are connected to the hub.
import { connectHub } from "pagewire/hub-client";
import type { HubClient } from "pagewire/hub-client";
import { isBuiltInTool, messageOf } from "pagewire/wire";
import type { TabInfo, Tool } from "pagewire/wire";
import { html, show } from "../../../common/src/dom.ts";
import type { Session } from "../session/session.ts";

export interface ConnectedTabs {
  readonly element: HTMLElement;
  close(): void;
}

export interface ConnectedTabsParts {
  readonly session: Pick<Session, "bearer">;
  /** Number of tabs, and all their tools. */
  onTabs(count: number, tools: readonly Tool[]): void;
  readonly connect?: (token: () => Promise<string>) => Promise<HubClient>;
}

/** Delay before a retry. */
const PAUSE = 5000;

export function createConnectedTabs({ session, onTabs, connect = connectAsWindow }: ConnectedTabsParts): ConnectedTabs {
  const element = html("div", { class: "tabs-live" });
  let hub: HubClient | undefined;
  let timer: number | undefined;
  let isClosed = false;

  async function begin(): Promise<void> {
    try {
      const made = await connect(session.bearer);
      if (isClosed) return made.close();
      hub = made;
      made.onChange(() => void draw(made));
      made.onState(({ status }) => {
        // The old token is no longer valid; the session may have a new one.
        if (status === "refused") again();
      });
      await draw(made);
    } catch (error) {
      show(element, html("p", { class: "problem" }, messageOf(error)));
      again();
    }
  }

  function again(): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => void begin(), PAUSE);
  }

  async function draw(from: HubClient): Promise<void> {
    try {
      const [tabs, { tools }] = await Promise.all([from.tabs(), from.offer()]);
      if (isClosed || hub !== from) return;
      onTabs(
        tabs.length,
        tools.filter(({ name }) => !isBuiltInTool(name)),
      );
      const none = html("p", { class: "hint" }, "No page is connected yet. Open the demo, or connect one of yours.");
      show(element, tabs.length === 0 ? none : html("ul", { class: "tabs" }, ...tabs.map(rowOf)));
    } catch {
      // The connection broke during the request: the list is requested again once there is one.
    }
  }

  void begin();
  return {
    element,
    close() {
      isClosed = true;
      clearTimeout(timer);
      hub?.close();
    },
  };
}

const states: Readonly<Record<TabInfo["state"], string>> = {
  connected: "",
  away: "reloading",
  suspended: "suspended by the browser",
  silent: "does not answer",
};

function rowOf({ app, origin, title, state, isActive, tools, tabId }: TabInfo): HTMLElement {
  const standing = states[state] || (isActive ? "in use" : "");
  const names = tools.map((name) => html("li", {}, html("code", {}, name)));
  const summary = html("summary", {}, tools.length === 1 ? "1 tool" : `${tools.length} tools`);
  return html(
    "li",
    { class: `tab ${state}`, "data-tab": tabId },
    html(
      "p",
      { class: "tab-title" },
      html("span", { class: `dot ${state === "connected" ? "ok" : "wait"}`, "aria-hidden": "true" }),
      html("strong", {}, title || app),
    ),
    html("p", { class: "hint" }, [app, origin, standing].filter((text) => text !== "").join(" · ")),
    tools.length === 0
      ? html("p", { class: "hint" }, "No tools")
      : html("details", {}, summary, html("ul", { class: "tool-names" }, ...names)),
  );
}

function connectAsWindow(token: () => Promise<string>): Promise<HubClient> {
  // On a page that did not come by https or from this machine there is no crypto.randomUUID.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const session = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return connectHub({ url: location.origin, WebSocket, token, session, agent: { name: "pagewire-home" } });
}
