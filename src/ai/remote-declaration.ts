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
