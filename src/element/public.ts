// What the package publishes as pagewire/ai-agent, with all of pagewire/ai. What only rooms of this repository need is in index.ts.
export * from "../ai/public.ts";
export { AiAgent, AiMessageElement, bootstrapAi, getConfig, WcsAi } from "./index.ts";
export type { AiAgentEventMap, AiElementTagNameMap, IWritableConfig } from "./index.ts";
