// The published API of pagewire/ai-agent, including all of pagewire/ai. index.ts exports what only rooms of this
// repository need.
export * from "../ai/public.ts";
export { AiAgent, AiMessageElement, bootstrapAi, getConfig, WcsAi } from "./index.ts";
export type { AiAgentEventMap, AiElementTagNameMap, IWritableConfig } from "./index.ts";
