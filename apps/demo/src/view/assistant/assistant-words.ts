import type { AssistantView } from "../../state/assistant/assistant.ts";

/** The assistant's state as text. */
export interface AssistantWords {
  readonly status: string;
  /** How to fix it, if the user can. */
  readonly advice?: string;
  /** Whether showing the assistant within the page fixes it. */
  readonly helpsHere?: true;
}

/** Puts it into words; `origin` is the page's own. */
export function assistantWords({ connection, reason = "" }: AssistantView, origin: string): AssistantWords {
  if (connection === "connecting") return { status: "Opening the assistant" };
  if (connection === "connected") return { status: "Assistant connected" };
  const words = wordsOf(origin).get(reason) ?? { status: "Assistant not open" };
  return connection === "disconnected" ? words : { status: `Reconnecting. ${words.status}` };
}

const wordsOf = (origin: string): ReadonlyMap<string, AssistantWords> =>
  new Map<string, AssistantWords>([
    [
      "popup-blocked",
      {
        status: "Assistant blocked",
        advice:
          "The browser blocked the assistant's window. Allow pop-ups for this page, at the end of the address bar, and open it again; or have it within this page.",
        helpsHere: true,
      },
    ],
    ["closed-by-user", { status: "The assistant was closed" }],
    ["navigated-away", { status: "The assistant's window shows another page" }],
    [
      "not-responding",
      {
        status: "The assistant does not answer",
        advice: "Look at its window: it may want you to sign in, or the hub may have stopped.",
      },
    ],
    [
      "cut-off",
      {
        status: "Assistant cut off",
        advice:
          "The browser lets this page and the assistant's window not speak to each other. Have it within this page.",
        helpsHere: true,
      },
    ],
    ["replaced", { status: "The assistant serves another page" }],
    [
      "origin-refused",
      {
        status: "Assistant refused",
        advice: `The hub does not let this page use the assistant. Run npx pagewire allow ${origin}, and open it again.`,
      },
    ],
  ]);
