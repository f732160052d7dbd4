import type { OtherTabs } from "../settings/other-tabs.ts";
import type { ShellParts } from "./shell-parts.ts";

export interface WatchConversationParts extends ShellParts {
  readonly otherTabs: Pick<OtherTabs, "choice" | "isKept" | "keep" | "draw">;
}

export interface ConversationWatch {
  /** Offers the app's tools in the current conversation, even if another window did before. */
  attach(): void;
  /** A prompt is about to be sent: without an app, offers the tools that it may need. */
  prepare(): void;
}

/** Offers the app's tools in the conversation that is shown. */
export function watchConversation({ agent, parent, otherTabs, signal }: WatchConversationParts): ConversationWatch {
  let attached: string | null = null;

  function attach(): void {
    const { conversation } = agent;
    if (conversation === null) return;
    // A window without an app has nothing to offer, and would take the tools away from the window that has one.
    if (parent.state.kind === "none" && otherTabs.choice === false && attached !== conversation) return;
    attached = conversation;
    parent.attach(conversation, { otherTabs: otherTabs.choice });
  }

  function follow(): void {
    otherTabs.draw();
    // Without an app, only asking takes the conversation from another window; looking at it does not.
    if (agent.conversation !== attached && (parent.state.kind !== "none" || otherTabs.isKept)) attach();
  }

  /** A question that waited for the hub must not be there before the tools that answer it. */
  function reach(): void {
    follow();
    if (agent.connection === "open") parent.retryNow();
  }

  agent.addEventListener("ai-agent:conversation-changed", follow, { signal });
  // A conversation that continues after a reload keeps its id, so there is no change event.
  agent.addEventListener("ai-agent:connection-changed", reach, { signal });
  signal.addEventListener("abort", parent.onState(follow));
  follow();
  return {
    attach,
    prepare() {
      if (parent.state.kind !== "none" || otherTabs.choice === false) return;
      otherTabs.keep();
      attach();
    },
  };
}
