// The tabs that are connected to the hub, and their tools as the conversation at the hub's home has them.
import { signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import type { TabTools } from "pagewire/chat";
import { connectHub } from "pagewire/hub-client";
import type { HubClient } from "pagewire/hub-client";
import { createListeners } from "pagewire/toolbox";
import { isBuiltInTool, messageOf } from "pagewire/wire";
import type { TabInfo } from "pagewire/wire";
import type { Session } from "../../../common/src/session/session.ts";
import type { OtherTabs } from "../settings/other-tabs.ts";

export interface HomeTabsParts {
  readonly session: Pick<Session, "bearer" | "info">;
  readonly otherTabs: Pick<OtherTabs, "choice" | "shown">;
  prepare(): void;
  readonly connect?: (token: () => Promise<string>) => Promise<HubClient>;
}

export interface HomeTabs extends TabTools {
  /** The tabs of a user whose hub has replied. */
  readonly pages: ReadonlySignal<readonly TabInfo[] | undefined>;
  /** Why `pages` may be out of date, or are not there. */
  readonly problem: ReadonlySignal<string | undefined>;
  close(): void;
}

/** Delay before a retry. */
const PAUSE = 5000;

export function createHomeTabs({ session, otherTabs, prepare, connect = connectAsWindow }: HomeTabsParts): HomeTabs {
  const { demo } = session.info;
  const changes = createListeners<void>((error) => reportError(error));
  const pages = signal<readonly TabInfo[]>();
  const problem = signal<string>();
  let tools: TabTools["tools"];
  let hub: HubClient | undefined;
  let timer: number | undefined;
  let isClosed = false;

  async function begin(): Promise<void> {
    try {
      const made = await connect(session.bearer);
      if (isClosed) return made.close();
      hub = made;
      made.onChange(() => void read(made));
      made.onState(({ status }) => {
        // The list may be out of date, and must not look as if its tabs were connected.
        const isAway = status === "reconnecting" || status === "refused";
        problem.value = isAway ? "The hub does not answer. This is how it was before:" : undefined;
        // The old token is no longer valid; the session may have a new one.
        if (status === "refused") again();
      });
      problem.value = undefined;
      await read(made);
    } catch (error) {
      problem.value = messageOf(error);
      again();
    }
  }

  function again(): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => void begin(), PAUSE);
  }

  /** The one tab whose tools count; undefined for all. */
  function chosenTab(): string | undefined {
    return typeof otherTabs.choice === "string" ? otherTabs.choice : undefined;
  }

  async function read(from: HubClient): Promise<void> {
    const tab = chosenTab();
    try {
      const tabs = await from.tabs();
      const isGone = tab !== undefined && !tabs.some(({ tabId }) => tabId === tab);
      const offer = isGone ? { tools: [] } : await from.offer(tab);
      if (isClosed || hub !== from || chosenTab() !== tab) return;
      pages.value = tabs;
      tools = offer.tools
        .filter(({ name }) => !isBuiltInTool(name))
        .map(({ description = "", inputSchema, ...rest }) => ({ ...rest, description, parameters: inputSchema }));
      changes.tell();
    } catch {
      // The connection broke during the request: the list is requested again once there is one.
    }
  }

  void begin();
  const unsubscribe = otherTabs.shown.subscribe(() => {
    if (hub) void read(hub);
    changes.tell();
  });
  return {
    pages,
    problem,
    get isOn() {
      return otherTabs.choice !== false;
    },
    get tools() {
      return tools;
    },
    get whyNone() {
      const { choice } = otherTabs;
      if (choice === false) return "The assistant has no tools, because “No page” is chosen below the field.";
      if (tools === undefined || tools.length > 0) return undefined;
      if (choice === true)
        return `No connected page offers a tool, so the assistant has none. ${demo === null ? "Connect" : "Open the demo, or connect"} a page of yours: Connected pages shows how.`;
      return "The page that you chose offers no tool, or is closed. Choose another one below the field.";
    },
    get example() {
      const isNone = otherTabs.choice === true && tools?.length === 0;
      return isNone && demo !== null ? { name: "Open the demo", href: demo } : undefined;
    },
    prepare,
    onChange: changes.add,
    close() {
      isClosed = true;
      unsubscribe();
      clearTimeout(timer);
      hub?.close();
    },
  };
}

function connectAsWindow(token: () => Promise<string>): Promise<HubClient> {
  // On a page that did not come by https or from this machine there is no crypto.randomUUID.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const session = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return connectHub({ url: location.origin, WebSocket, token, session, agent: { name: "pagewire-home" } });
}
