// import type {} from "pagewire/ai-agent/types/vue": the elements in Vue's templates.
import type { HTMLAttributes, VNodeProps } from "vue";
import type { AiAgentMarkup, AiMessageMarkup } from "../markup.ts";

type Tag<Markup> = new () => { $props: Markup & Omit<HTMLAttributes, keyof Markup> & VNodeProps };

declare module "vue" {
  interface GlobalComponents {
    "ai-agent": Tag<AiAgentMarkup>;
    "ai-message": Tag<AiMessageMarkup>;
  }
}
