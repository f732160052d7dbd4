import type { TerminalState } from "pagewire/terminal";

/** One short line on how things stand, and how it is: its dot has the colour. */
export interface Standing {
  readonly text: string;
  readonly tone: "ok" | "wait" | "bad" | "none";
}

/** Which tab the terminal's programs act in, or why in none. */
export function standingOf(state: TerminalState): Standing {
  switch (state.status) {
    case "connected":
      if (state.attachment === "here") return { text: "This tab acts for this terminal", tone: "ok" };
      if (state.attachment === "unknown") return { text: "Connected", tone: "wait" };
      if (state.attachment === "elsewhere") return { text: "Another tab acts for this terminal", tone: "wait" };
      return { text: "No tab acts for this terminal", tone: "none" };
    case "connecting":
      return { text: "Connecting", tone: "wait" };
    case "reconnecting":
      return { text: "No connection", tone: "bad" };
    case "signed-out":
      return { text: "A code is needed", tone: "wait" };
    case "ended":
      return { text: "Ended", tone: "none" };
    case "refused":
    case "unavailable":
    case "closed":
      return { text: "Not connected", tone: "bad" };
  }
}
