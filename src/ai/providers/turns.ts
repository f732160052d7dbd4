// For APIs where a turn is the user's or the model's: the results of one turn's calls are one turn of the user's.
import type { AiMessage } from "../types.ts";

interface Turn {
  readonly role: "user" | "assistant";
  readonly parts: object[];
}

/** A message without parts is left out: these APIs refuse empty ones. */
export function turnsOf(messages: readonly AiMessage[], partsOf: (message: AiMessage) => readonly object[]): Turn[] {
  const turns: Turn[] = [];
  let before: string | undefined;
  for (const message of messages) {
    const { role } = message;
    const parts = role === "system" ? [] : partsOf(message);
    if (parts.length === 0) continue;
    if (role === "tool" && before === role) turns.at(-1)?.parts.push(...parts);
    else turns.push({ role: role === "assistant" ? role : "user", parts: [...parts] });
    before = role;
  }
  return turns;
}
