// import type {} from "pagewire/ai-agent/types/react": the elements in JSX, for React 18 and 19.
import type { HTMLAttributes, RefAttributes } from "react";
import type { AiAgent } from "../ai-agent.ts";
import type { AiMessageElement } from "../ai-message.ts";
import type { AiAgentMarkup, AiMessageMarkup } from "../markup.ts";

type Tag<Of, Markup> = Markup & Omit<HTMLAttributes<Of>, keyof Markup> & RefAttributes<Of>;

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "ai-agent": Tag<AiAgent, AiAgentMarkup>;
      "ai-message": Tag<AiMessageElement, AiMessageMarkup>;
    }
  }
}
