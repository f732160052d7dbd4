import { createListeners } from "pagewire/toolbox";
import type { Tool } from "pagewire/wire";
import type { OtherTabs } from "../settings/create-other-tabs.ts";
import type { TabTools } from "../talk/talk-options.ts";

export interface TabToolsParts {
  readonly otherTabs: Pick<OtherTabs, "isOn" | "label">;
  prepare(): void;
}

export interface HomeTabTools extends TabTools {
  /** Takes what the connected tabs offer now. */
  set(tools: readonly Tool[]): void;
  /** The switch, or the conversation that it is for, has changed. */
  look(): void;
}

/** The tools of the connected tabs, as the conversation at the hub's home has them. */
export function createTabTools({ otherTabs, prepare }: TabToolsParts): HomeTabTools {
  const changes = createListeners<void>((error) => reportError(error));
  let tools: TabTools["tools"];
  return {
    get isOn() {
      return otherTabs.isOn;
    },
    label: otherTabs.label,
    get tools() {
      return tools;
    },
    prepare,
    onChange: changes.add,
    look: () => changes.tell(),
    set(offered) {
      tools = offered.map(({ description = "", inputSchema, ...rest }) => ({
        ...rest,
        description,
        parameters: inputSchema,
      }));
      changes.tell();
    },
  };
}
