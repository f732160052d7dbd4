import type { WcBindableDeclaration } from "../bindable/index.ts";
import { AiCore } from "./ai-core.ts";
import { properties } from "./core-state.ts";

const { commands = [] } = AiCore.wcBindable;

/** The full remote interface of a core. A peer that knows only `AiCore.wcBindable` does without the rest. */
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

/**
 * The same for a core that stores its conversation, with an error state for where it cannot, and for one that says itself
 * which models there are: a client's options must not lead it to an address.
 */
export const keptAiDeclaration: WcBindableDeclaration = {
  ...aiRemoteDeclaration,
  commands: [...(aiRemoteDeclaration.commands ?? []), { name: "models", async: true }],
  properties: [...properties, { name: "notSaved", event: "ai-agent:not-saved-changed" }],
};
