// import type {} from "pagewire/ai-chat/types/react": the element in JSX, for React 18 and 19.
import type { HTMLAttributes, RefAttributes } from "react";
import type { AiChat } from "../ai-chat/ai-chat.ts";
import type { AiChatMarkup } from "./markup.ts";

type Tag = AiChatMarkup & Omit<HTMLAttributes<AiChat>, keyof AiChatMarkup> & RefAttributes<AiChat>;

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "ai-chat": Tag;
    }
  }
}
