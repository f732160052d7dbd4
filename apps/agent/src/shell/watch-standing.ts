import { hostOf } from "../hosts.ts";
import type { LiveSession } from "../session/open-session.ts";
import { reconnect } from "./create-agent.ts";
import type { Notices } from "./create-notices.ts";
import type { Status } from "./create-status.ts";
import type { ShellParts } from "./shell-parts.ts";
import { hubNotice, hubStanding, modelNotice, modelStanding, parentNotice, parentStanding } from "./status-texts.ts";
import type { ConversationWatch } from "./watch-conversation.ts";

export interface WatchStandingParts extends ShellParts {
  readonly session: Pick<LiveSession, "info" | "refresh" | "isKept">;
  readonly status: Status;
  readonly notices: Notices;
  readonly conversation: ConversationWatch;
}

/** Shows the state of the model, the hub and the app, with a remedy for each problem. */
export function watchStanding(parts: WatchStandingParts): void {
  const { agent, parent, session, status, notices, conversation, signal } = parts;

  function draw(): void {
    if (signal.aborted) return;
    const { model } = session.info;
    const { connection, error } = agent;
    status.draw([parentStanding(parent.state), modelStanding(model), hubStanding(connection, model)]);
    notices.set("model", modelNotice(model));
    const hub = model && hubNotice(connection, error);
    const action = isForgotten(error)
      ? { label: "New conversation", run: () => void (agent.conversation = null) }
      : { label: "Try again", run: () => reconnect(agent) };
    notices.set("hub", hub ? { ...hub, ...(connection === "closed" && { action }) } : undefined);
    notices.set("parent", parentNotice(parent.state, { checkAgain: check, takeOver: conversation.attach }));
    document.title = parent.state.kind === "connected" ? `Assistant · ${hostOf(parent.state.origin)}` : "Pagewire";
  }

  /** The hub may have signed this user out, changed its model, or allowed another origin. */
  function check(): void {
    // The session itself signs out a refused user; the agent reports a hub that is down.
    session.refresh().then(draw, draw);
  }

  agent.addEventListener(
    "ai-agent:connection-changed",
    () => {
      draw();
      if (agent.connection !== "connecting") check();
    },
    { signal },
  );
  agent.addEventListener("ai-agent:error", draw, { signal });
  addEventListener("focus", check, { signal });
  const stop = parent.onState(draw);
  signal.addEventListener("abort", stop);
  if (!session.isKept) notices.set("storage", { tone: "info", text: notKept });
  draw();
}

const notKept = "This browser keeps nothing for this page: you are signed in until it is reloaded or closed.";

function isForgotten(error: unknown): boolean {
  const { cause } = Object(error) as { readonly cause?: unknown };
  const { code } = Object(cause ?? error) as { readonly code?: unknown };
  return code === "conversation-not-found";
}
