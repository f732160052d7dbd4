// The page of a signed-in user: creates its parts and connects them.
import { createDrawer } from "../../../common/src/create-drawer.ts";
import { createThemeButton } from "../../../common/src/theme-button.ts";
import { html, icon, show } from "../../../common/src/dom.ts";
import { createHistory } from "../history/create-history.ts";
import { createHome } from "../home/create-home.ts";
import { createTabTools } from "../home/create-tab-tools.ts";
import { icons } from "../icons.ts";
import { connectParent } from "../parent/connect-parent.ts";
import { createSafeStorage } from "../../../common/src/safe-storage.ts";
import type { SafeStorage } from "../../../common/src/safe-storage.ts";
import type { LiveSession } from "../session/open-session.ts";
import { createOtherTabs } from "../settings/create-other-tabs.ts";
import type { OtherTabs } from "../settings/create-other-tabs.ts";
import { createSettings } from "../settings/create-settings.ts";
import { mountTalk } from "../talk/mount-talk.ts";
import { createAgent } from "./create-agent.ts";
import { createAnnouncer } from "./create-announcer.ts";
import { createNotices } from "./create-notices.ts";
import { createStatus } from "./create-status.ts";
import { partApps } from "./part-apps.ts";
import { watchConversation } from "./watch-conversation.ts";
import { watchStanding } from "./watch-standing.ts";

interface ViewSwitch {
  readonly element: HTMLElement;
}

const views = { talk: "Chat", home: "Connected" } as const;

/** Switches between the conversation and the connected tabs on narrow screens. */
function createViewSwitch(frame: HTMLElement): ViewSwitch {
  const buttons = Object.entries(views).map(([view, label]) => {
    const button = html("button", { type: "button", onclick: () => choose(view) }, label);
    return { view, button };
  });
  function choose(chosen: string): void {
    frame.dataset["view"] = chosen;
    for (const { view, button } of buttons) button.ariaPressed = String(view === chosen);
  }
  choose("talk");
  const group = { class: "segments", role: "group", "aria-label": "Show" };
  return { element: html("div", group, ...buttons.map(({ button }) => button)) };
}

export interface Shell {
  close(): void;
}

/** Shows the window, or on its own the hub's home page. */
export function mountShell(root: HTMLElement, session: LiveSession, storage: SafeStorage): Shell {
  const agent = createAgent(session);
  const parent = connectParent(session);
  const isHome = parent.state.kind === "none";
  const { element: announcer, announce } = createAnnouncer();
  const stopped = new AbortController();

  const otherTabs = createOtherTabs({
    storage: createSafeStorage(() => sessionStorage),
    isHome,
    getConversation: () => agent.conversation,
    onChange() {
      conversation.attach();
      tabs?.look();
    },
  });
  const tabs = isHome ? createTabTools({ otherTabs, prepare: () => conversation.prepare() }) : undefined;
  const home = tabs && createHome({ session, otherTabs: otherTabs.element, onTools: tabs.set });
  const settings = createSettings({ session, announce, otherTabs: isHome ? undefined : switchOf(otherTabs) });
  const notices = createNotices();
  const status = createStatus();
  const main = html("main", { id: "talk", class: "talk-place", tabindex: -1 }, notices.element);
  const frame = html("div", { class: isHome ? "frame is-home" : "frame" });
  const side = html("div", { class: "side-content" });
  const bar = html("header", { class: "top-bar" });
  const drawer = createDrawer({
    name: "Conversations",
    content: [side],
    behind: [bar, main, ...(home ? [home.element] : [])],
  });

  function open(id: string | null): void {
    drawer.close();
    if (id === null || id !== agent.conversation) agent.conversation = id;
    talk.focus();
  }
  const history = createHistory({
    session,
    getCurrent: () => agent.conversation,
    open,
    begin: () => open(null),
    announce,
  });
  side.append(history.element);

  const title = html("h1", {}, isHome ? "Pagewire" : "Assistant");
  const actions = html(
    "div",
    { class: "actions" },
    home && createViewSwitch(frame).element,
    settingsButton(() => settings.open()),
    createThemeButton(storage),
  );
  show(bar, drawer.button, html("div", { class: "titles" }, title, status.element), actions);
  frame.append(drawer.element, main, ...(home ? [home.element] : []));
  show(
    root,
    html("a", { class: "skip-link", href: "#talk" }, "Skip to the conversation"),
    bar,
    frame,
    drawer.scrim,
    settings.element,
    announcer,
    agent,
  );
  // The app's tools are sent before the talk switches to another conversation.
  partApps({ agent, parent, storage: createSafeStorage(() => sessionStorage), signal: stopped.signal });
  const conversation = watchConversation({ agent, parent, otherTabs, history, signal: stopped.signal });
  const talk = mountTalk(main, { agent, parent, session, tabs, announce });
  watchStanding({ agent, parent, session, status, notices, conversation, signal: stopped.signal });
  talk.focus();

  return {
    close() {
      stopped.abort();
      talk.close();
      parent.close();
      home?.close();
      root.replaceChildren();
    },
  };
}

/** In a frame, the surrounding page could cover the switch. */
function switchOf({ element }: OtherTabs): HTMLElement {
  const where = "In a window of its own, the assistant may also use your other tabs.";
  return window.top === window ? element : html("p", { class: "hint" }, where);
}

function settingsButton(onclick: () => void): HTMLButtonElement {
  const attributes = {
    type: "button",
    class: "button quiet square",
    "aria-label": "Settings",
    title: "Settings",
    onclick,
  };
  return html("button", attributes, icon(icons.settings));
}
