// The page of a signed-in user: creates its parts and connects them.
import { render } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { createHistory, createTalk, loadMarkdown, saveTranscript, setHighlighter } from "pagewire/chat";
import { browserClock, createAnnouncer } from "pagewire/chat/dom";
import { highlightNamed } from "pagewire/chat/highlight";
import { icons } from "../../../common/src/icons.ts";
import { createSafeStorage } from "../../../common/src/safe-storage.ts";
import type { SafeStorage } from "../../../common/src/safe-storage.ts";
import type { LiveSession } from "../../../common/src/session/open-session.ts";
import { Button } from "../../../common/src/ui/button.tsx";
import { Segments } from "../../../common/src/ui/segments.tsx";
import { Side, SideButton, createSide } from "../../../common/src/ui/side.tsx";
import { ThemeButton } from "../../../common/src/ui/theme-button.tsx";
import { Toasts } from "../../../common/src/ui/toasts.tsx";
import { createHomeTabs } from "../home/home-tabs.ts";
import { Home, PageChoice } from "../home/home.tsx";
import { connectParent } from "../parent/connect-parent.ts";
import { createOtherTabs } from "../settings/other-tabs.ts";
import { Settings } from "../settings/settings.tsx";
import { askAtTopLevel } from "../top-level/ask-at-top-level.ts";
import { createAgent, modelsOf } from "./create-agent.ts";
import { hubConversations } from "./hub-conversations.ts";
import { separateApps } from "./separate-apps.ts";
import { Notices, Status, createStanding } from "./standing.tsx";
import { watchConversation } from "./watch-conversation.ts";
import type { ConversationWatch } from "./watch-conversation.ts";

const views = [
  { value: "talk", label: "Chat" },
  { value: "home", label: "Pages" },
] as const;

export interface ShellProps {
  readonly session: LiveSession;
  readonly storage: SafeStorage;
}

/** The window beside an app, or on its own the hub's home page. */
export function Shell({ session, storage }: ShellProps) {
  const [parts] = useState(() => createParts(session));
  const { agent, announcer, history, isHome, otherTabs, side, standing, tabs } = parts;
  const place = useRef<HTMLElement>(null);
  const [view, setView] = useState<"talk" | "home">("talk");
  const [isSetting, set] = useState(false);
  useLayoutEffect(() => {
    if (place.current) parts.begin(place.current);
    return parts.close;
  }, [parts]);
  const isBehind = side.isOpen.value;
  return (
    <>
      <a class="skip-link" href="#talk">
        Skip to the conversation
      </a>
      <header class="top-bar" inert={isBehind}>
        <SideButton side={side} name="Conversations" />
        <div class="titles">
          <h1>{isHome ? "Pagewire" : "Assistant"}</h1>
          <Status {...standing} />
        </div>
        <div class="actions">
          {isHome && (
            <>
              <Segments label="Show" options={views} value={view} onValue={setView} />
              <a class="button quiet small" href="/console" title="What is connected, called and waits">
                Console
              </a>
            </>
          )}
          <Button kind="quiet" icon={icons.settings} label="Settings" onClick={() => set(true)} />
          <ThemeButton storage={storage} />
        </div>
      </header>
      <div class={isHome ? "frame is-home" : "frame"} data-view={view}>
        <Side side={side} name="Conversations">
          <Placed element={history.element} class="side-content" />
        </Side>
        {/* One landmark around both: on a narrow screen either is hidden. */}
        <main class="contents" inert={isBehind}>
          <section ref={place} id="talk" class="talk-place" tabIndex={-1} aria-label="Conversation">
            <Notices {...standing} />
          </section>
          {tabs && <Home session={session} tabs={tabs} />}
        </main>
      </div>
      {isSetting && (
        <Settings
          session={session}
          otherTabs={isHome ? undefined : otherTabs}
          save={(format) => saveTranscript(agent.messages, format)}
          onClose={() => set(false)}
        />
      )}
      <Toasts />
      <Placed element={announcer.element} />
      <Placed element={agent} />
    </>
  );
}

/** An element that is made by hand. */
function Placed({ element, class: given = "contents" }: { readonly element: HTMLElement; readonly class?: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.replaceChildren(element), [element]);
  return <div ref={place} class={given} />;
}

/** The parts that live as long as the page, and are not drawn by it. */
function createParts(session: LiveSession) {
  const agent = createAgent(session);
  const parent = connectParent(session);
  const isHome = parent.state.kind === "none";
  const stopped = new AbortController();
  const { signal } = stopped;
  const ofTab = createSafeStorage(() => sessionStorage);
  const announcer = createAnnouncer();
  const side = createSide();
  const pageChoice = document.createElement("div");
  let conversation: ConversationWatch | undefined;
  let talk: ReturnType<typeof createTalk> | undefined;

  const otherTabs = createOtherTabs({
    storage: ofTab,
    isHome,
    getConversation: () => agent.conversation,
    onChange: () => conversation?.attach(),
  });
  const tabs = isHome ? createHomeTabs({ session, otherTabs, prepare: () => conversation?.prepare() }) : undefined;
  const takeOver = () => conversation?.attach();
  const standing = createStanding({ agent, parent, session, signal, takeOver });

  function open(id: string | null): void {
    if (id === null || id !== agent.conversation) agent.conversation = id;
    side.close(() => talk?.focus());
  }
  const { announce } = announcer;
  const history = createHistory({ agent, conversations: hubConversations(agent, session), open, announce });

  return {
    ...{ agent, announcer, history, isHome, otherTabs, side, standing, tabs },
    /** All is in its place, and the agent connects: shows the conversation in `place`. */
    begin(place: HTMLElement): void {
      setHighlighter(highlightNamed);
      void loadMarkdown();
      // The app's tools are sent before the talk switches to another conversation.
      separateApps({ agent, parent, storage: ofTab, signal });
      conversation = watchConversation({ agent, parent, otherTabs, signal });
      void history.refresh();
      if (tabs) render(<PageChoice otherTabs={otherTabs} pages={tabs.pages} />, pageChoice);
      talk = createTalk({
        ...{ agent, parent, session, tabs, announce, models: modelsOf(agent, session) },
        accessory: tabs && pageChoice,
        clock: browserClock,
        storage: sessionStorage,
        // The page around a framed window could cover a question in it.
        askElsewhere: window.top === window ? undefined : askAtTopLevel,
      });
      place.append(talk.element);
      standing.begin();
      talk.focus();
    },
    close(): void {
      stopped.abort();
      history.close();
      talk?.close();
      parent.close();
      tabs?.close();
      render(null, pageChoice);
    },
  };
}
