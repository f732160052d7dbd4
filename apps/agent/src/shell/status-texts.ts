// Connection states as text.
import type { AgentConnection, WcsAiValues } from "pagewire/ai-agent";
import { hostOf, titleText } from "pagewire/chat";
import type { ParentState } from "../parent/connect-parent.ts";
import type { AppInfo, HubModel } from "../../../common/src/session/session.ts";

/** One short line, and how it is: its dot has the colour. */
export interface Standing {
  readonly text: string;
  readonly tone: "ok" | "wait" | "bad";
}

/** A problem or a notice, and how to fix it. */
export interface Notice {
  readonly tone: "info" | "warn" | "danger";
  readonly text: string;
  /** To be pasted into a terminal. */
  readonly command?: string;
  readonly action?: { readonly label: string; run(): void };
}

export function modelStanding(model: HubModel | null): Standing {
  if (!model) return { text: "No model", tone: "bad" };
  if (model.isRehearsal) return { text: "Rehearsal model", tone: "wait" };
  // The model itself is chosen for each conversation, and named where it is chosen.
  return { text: model.provider, tone: "ok" };
}

export function modelNotice({ model, mode, me }: Pick<AppInfo, "model" | "mode" | "me">): Notice | undefined {
  if (model) return undefined;
  if (mode === "team") return organisationsModel(me?.isAdmin === true);
  return {
    tone: "warn",
    text: "This hub has no model, so nothing here can answer. Give it one and start it again, for example:",
    command: "ANTHROPIC_API_KEY=… npx pagewire",
  };
}

const modelPlace = "/console#/organisation/model";

function organisationsModel(isAdmin: boolean): Notice {
  const text = "Your organisation has no model that can be used, so nothing here can answer.";
  if (!isAdmin) return { tone: "warn", text: `${text} Its administrator can set one: ask them.` };
  return {
    tone: "warn",
    text: `${text} As its administrator you can set one in the console.`,
    action: { label: "Set a model", run: () => void open(modelPlace, "_blank", "noopener") },
  };
}

/** A hub without a model holds no conversation to be connected to. */
export function hubStanding(connection: AgentConnection, model: HubModel | null): Standing | undefined {
  if (!model) return undefined;
  const standings: Readonly<Record<AgentConnection, Standing>> = {
    local: { text: "No hub", tone: "bad" },
    connecting: { text: "Connecting", tone: "wait" },
    open: { text: "Connected", tone: "ok" },
    waiting: { text: "The hub does not answer", tone: "bad" },
    closed: { text: "Not connected", tone: "bad" },
  };
  return standings[connection];
}

/** Why the hub is unreachable; the failure of an answer is shown beside that answer. */
export function hubNotice(
  connection: AgentConnection,
  error: WcsAiValues["error"],
): Omit<Notice, "action"> | undefined {
  if (connection === "waiting") {
    return {
      tone: "warn",
      text: "The hub does not answer. It is tried again by itself; if it was stopped, start it with:",
      command: "npx pagewire",
    };
  }
  if (connection !== "closed") return undefined;
  return { tone: "danger", text: error && "message" in error ? error.message : "The hub ended the connection." };
}

export function parentStanding(state: ParentState): Standing | undefined {
  switch (state.kind) {
    case "none":
      return undefined;
    case "waiting":
      return { text: "Waiting for the app", tone: "wait" };
    case "refused":
      return { text: `${state.origin} is not allowed`, tone: "bad" };
    case "lost":
      return { text: `${hostOf(state.origin)} does not answer`, tone: "bad" };
    case "connected":
      if (state.relay === "replaced") return { text: "Open in another window", tone: "bad" };
      if (state.relay === "waiting") return { text: `Connecting ${hostOf(state.origin)}`, tone: "wait" };
      return { text: `${hostOf(state.origin)}, ${toolCount(state.tools.length)}`, tone: "ok" };
  }
}

/** The window's own title: of several windows, the user finds the one beside a page. */
export function titleFor(state: ParentState): string {
  if (state.kind !== "connected") return "Pagewire";
  return `Assistant · ${titleText(state.title ?? "") || hostOf(state.origin)}`;
}

export interface ParentRemedies {
  checkAgain(): void;
  takeOver(): void;
}

export function parentNotice(state: ParentState, { checkAgain, takeOver }: ParentRemedies): Notice | undefined {
  if (state.kind === "refused") {
    return {
      tone: "danger",
      text: `A page of ${state.origin} wants to use this assistant, and pages of that origin are not allowed to. If you know it, allow it once:`,
      command: `npx pagewire allow ${state.origin}`,
      action: { label: "Check again", run: checkAgain },
    };
  }
  if (state.kind === "lost") {
    return {
      tone: "warn",
      text: `The page of ${state.origin} was closed or does not answer. Its tools are back as soon as it is; you can go on talking.`,
    };
  }
  if (state.kind === "connected" && state.relay === "replaced") {
    return {
      tone: "warn",
      text: "This conversation is open in another window, which uses the app's tools now.",
      action: { label: "Use it here", run: takeOver },
    };
  }
  return undefined;
}

function toolCount(count: number): string {
  return count === 1 ? "1 tool" : `${count} tools`;
}
