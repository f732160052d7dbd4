// The published API of pagewire/ai-chat. Importing it defines the elements.
import { defineAiChat } from "./ai-chat/ai-chat.ts";

export { AiChat } from "./ai-chat/ai-chat.ts";
export { setHighlighter } from "./markdown/colour-code.ts";
export { createTalkModel } from "./talk-model.ts";
export type { TalkModel, TalkModelOptions } from "./talk-model.ts";
export type { Turn } from "./model/turns.ts";

defineAiChat();
