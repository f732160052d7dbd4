// The tools of whichever page there is: one that comes later, or takes the place of another, is not another toolbox.
import type { ToolSource } from "../agent-window/index.ts";
import { createListeners } from "../toolbox/index.ts";
import type { OfferChange, OnError } from "../wire/index.ts";

export interface FollowedToolbox extends ToolSource {
  /** Offers what this one offers, or with undefined nothing; hears of its changes until it follows another. */
  follow(toolbox: ToolSource | undefined): void;
}

export function createFollowedToolbox(onError: OnError): FollowedToolbox {
  const changes = createListeners<OfferChange>(onError);
  let followed: ToolSource | undefined;
  let leave = () => {};
  const offer: ToolSource["offer"] = () =>
    followed?.offer() ?? { tools: [], resources: [], resourceTemplates: [], prompts: [] };

  return {
    follow(toolbox) {
      if (toolbox === followed) return;
      leave();
      const before = offer().tools.map(({ name }) => name);
      followed = toolbox;
      leave = toolbox?.subscribe(changes.tell) ?? (() => {});
      const { tools } = offer();
      const isGone = (name: string) => !tools.some((tool) => tool.name === name);
      changes.tell({ add: { tools }, remove: { tools: before.filter(isGone) } });
    },
    offer,
    subscribe: changes.add,
    callTool: async (...given) =>
      followed?.callTool(...given) ?? { kind: "refused", code: "tool-not-found", message: gone },
  };
}

const gone = "The app has taken its tools away. Look which there are now.";
