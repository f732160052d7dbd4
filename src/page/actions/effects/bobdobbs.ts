import type { Action } from "../action.ts";
import { shownText, showing } from "./viewing.ts";

/** "Bob" appears, and says something. */
export function bobdobbs(): Action {
  return {
    name: "bobdobbs",
    async handler({ reason }) {
      const { showBob } = await import("./bob.ts");
      const quote = showBob(shownText(reason));
      const text = showing('"Bob" has blessed this workspace.');
      return { content: [{ type: "text", text }], structuredContent: { quote } };
    },
    options: {
      title: "“Bob”",
      description: "Shows “Bob” and one of his sayings over the page, until somebody clicks.",
      inputSchema: { type: "object", properties: { reason: { type: "string", description: "What he blesses." } } },
    },
  };
}
