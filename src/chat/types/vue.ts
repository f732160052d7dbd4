// import type {} from "pagewire/ai-chat/types/vue": the element in Vue's templates.
import type { HTMLAttributes, VNodeProps } from "vue";
import type { AiChatMarkup } from "./markup.ts";

type Tag = new () => { $props: AiChatMarkup & Omit<HTMLAttributes, keyof AiChatMarkup> & VNodeProps };

declare module "vue" {
  interface GlobalComponents {
    "ai-chat": Tag;
  }
}
