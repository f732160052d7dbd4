import type { TerminalState } from "pagewire/terminal";
import { expect, test } from "vitest";
import { statusLine } from "./status-line.ts";

const message = "as it is";
const connected = { status: "connected", message, terminal: "t", name: "work" } as const;

test.each<[TerminalState, string]>([
  [{ ...connected, attachment: "here" }, "This tab acts for this terminal"],
  [{ ...connected, attachment: "elsewhere" }, "Another tab acts for this terminal"],
  [{ ...connected, attachment: "nowhere" }, "No tab acts for this terminal"],
  [{ ...connected, attachment: "unknown" }, "Connected"],
  [{ status: "connecting", message }, "Connecting"],
  [{ status: "reconnecting", message, retryAt: 0 }, "No connection"],
  [{ status: "signed-out", message }, "A code is needed"],
  [{ status: "ended", message }, "Ended"],
  [{ status: "refused", message, code: "origin-not-allowed" }, "Not connected"],
  [{ status: "unavailable", message, code: "terminal-unavailable" }, "Not connected"],
])("the status line of the state: %o", (state, text) => {
  expect(statusLine(state).text).toBe(text);
});
