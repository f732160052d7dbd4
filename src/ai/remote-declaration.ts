import type { WcBindableDeclaration } from "../bindable/index.ts";
import { AiCore } from "./ai-core.ts";
import { properties } from "./core-state.ts";

const { commands = [] } = AiCore.wcBindable;

/** All that a core can be told and asked from afar. A peer that knows only `AiCore.wcBindable` does without the rest. */
export const aiRemoteDeclaration: WcBindableDeclaration = {
  ...AiCore.wcBindable,
  properties,
  commands: [
    ...commands,
    { name: "regenerate", async: true },
    { name: "edit", async: true },
    { name: "settleToolCall" },
  ],
};

/** The same for a core that keeps its conversation, and says where it cannot. */
export const keptAiDeclaration: WcBindableDeclaration = {
  ...aiRemoteDeclaration,
  properties: [...properties, { name: "notSaved", event: "ai-agent:not-saved-changed" }],
};
