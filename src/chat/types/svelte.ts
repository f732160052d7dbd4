// import type {} from "pagewire/ai-chat/types/svelte": the element in Svelte's templates.
import type { HTMLAttributes } from "svelte/elements";
import type { AiChat } from "../ai-chat/ai-chat.ts";
import type { AiChatMarkup } from "./markup.ts";

type Tag = AiChatMarkup & Omit<HTMLAttributes<AiChat>, keyof AiChatMarkup>;

declare module "svelte/elements" {
  interface SvelteHTMLElements {
    "ai-chat": Tag;
  }
}
