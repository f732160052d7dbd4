import type { History } from "../history/create-history.ts";
import type { OtherTabs } from "../settings/create-other-tabs.ts";
import type { ShellParts } from "./shell-parts.ts";

export interface WatchConversationParts extends ShellParts {
  readonly otherTabs: Pick<OtherTabs, "isOn" | "isKept" | "keep" | "draw">;
  readonly history: Pick<History, "refresh" | "refreshAfterAnswer" | "mark">;
}

export interface ConversationWatch {
  /** Brings the app's tools to the conversation of now, also where another window had them. */
  attach(): void;
  /** Something is about to be asked: without an app, what it may need is brought now. */
  prepare(): void;
}

/** Brings the app's tools to whichever conversation is shown, and keeps the list of conversations true. */
export function watchConversation({
  agent,
  parent,
  otherTabs,
  history,
  signal,
}: WatchConversationParts): ConversationWatch {
  let attached: string | null = null;

  function attach(): void {
    const { conversation } = agent;
    if (conversation === null) return;
    // A window without an app has nothing to bring, and would take the tools away from the window that has one.
    if (parent.state.kind === "none" && !otherTabs.isOn && attached !== conversation) return;
    attached = conversation;
    parent.attach(conversation, { otherTabs: otherTabs.isOn });
  }

  function follow(): void {
    otherTabs.draw();
    // To look at a conversation takes nothing from the window that has it: without an app, only to ask does.
    if (agent.conversation !== attached && (parent.state.kind !== "none" || otherTabs.isKept)) attach();
    history.mark();
  }

  /** A question that waited for the hub must not be there before the tools that answer it. */
  function reach(): void {
    follow();
    if (agent.connection === "open") parent.retryNow();
  }

  agent.addEventListener("ai-agent:conversation-changed", follow, { signal });
  // One that is gone on with after a reload keeps its id, which is no change.
  agent.addEventListener("ai-agent:connection-changed", reach, { signal });
  agent.addEventListener("ai-agent:loading-changed", ({ detail }) => void (detail || history.refreshAfterAnswer()), {
    signal,
  });
  // Another window may have begun or deleted some.
  addEventListener("focus", () => void history.refresh(), { signal });
  signal.addEventListener("abort", parent.onState(follow));
  follow();
  void history.refresh();
  return {
    attach,
    prepare() {
      if (parent.state.kind !== "none" || !otherTabs.isOn) return;
      otherTabs.keep();
      attach();
    },
  };
}
