import type { AiAgent } from "./ai-agent.ts";
import type { AiMessageElement } from "./ai-message.ts";

declare global {
  interface HTMLElementTagNameMap extends AiElementTagNameMap {}
}

/** The elements by their default names. */
export interface AiElementTagNameMap {
  "ai-agent": AiAgent;
  "ai-message": AiMessageElement;
}
