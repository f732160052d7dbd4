// import type {} from "pagewire/ai-agent/types/svelte": the elements in Svelte's templates.
import type { HTMLAttributes } from "svelte/elements";
import type { AiAgent } from "../ai-agent.ts";
import type { AiMessageElement } from "../ai-message.ts";
import type { AiAgentMarkup, AiMessageMarkup } from "../markup.ts";

type Tag<Of extends EventTarget, Markup> = Markup & Omit<HTMLAttributes<Of>, keyof Markup>;

declare module "svelte/elements" {
  interface SvelteHTMLElements {
    "ai-agent": Tag<AiAgent, AiAgentMarkup>;
    "ai-message": Tag<AiMessageElement, AiMessageMarkup>;
  }
}
