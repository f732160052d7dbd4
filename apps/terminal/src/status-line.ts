import type { TerminalState } from "pagewire/terminal";
import type { Tone } from "../../common/src/ui/badge.tsx";

/** One short line about the state; its dot has the colour of the tone. */
export interface StatusLine {
  readonly text: string;
  readonly tone: Tone;
}

/** Which tab the terminal's programs act in, or why in none. */
export function statusLine(state: TerminalState): StatusLine {
  switch (state.status) {
    case "connected":
      if (state.attachment === "here") return { text: "This tab acts for this terminal", tone: "ok" };
      if (state.attachment === "unknown") return { text: "Connected", tone: "wait" };
      if (state.attachment === "elsewhere") return { text: "Another tab acts for this terminal", tone: "wait" };
      return { text: "No tab acts for this terminal", tone: "plain" };
    case "connecting":
      return { text: "Connecting", tone: "wait" };
    case "reconnecting":
      return { text: "No connection", tone: "bad" };
    case "signed-out":
      return { text: "A code is needed", tone: "wait" };
    case "ended":
      return { text: "Ended", tone: "plain" };
    case "refused":
    case "unavailable":
    case "closed":
      return { text: "Not connected", tone: "bad" };
  }
}
