import { getPageToolbox } from "../../../toolbox/index.ts";
import type { Registration, Toolbox } from "../../../toolbox/index.ts";
import { PagewireError, callTimeKey, terminalOnly } from "../../../wire/index.ts";
import type { ActionHandler, ActionOptions, ActionPlace } from "./action.ts";
import { runAction } from "./run-action.ts";

/**
 * Registers an action in this page: as a tool for every agent, and under its name for programs in a terminal.
 * Registering a name again replaces its action.
 */
export function registerAction(name: string, handler: ActionHandler, options: ActionOptions = {}): Registration {
  const { title, description, inputSchema, annotations, callTime, agents, signal } = options;
  const place = options.toolbox ?? lastPage(name);
  const { hub } = place;
  const marks = {
    ...(callTime === undefined ? {} : { [callTimeKey]: callTime }),
    ...(agents === "terminal" ? terminalOnly : {}),
  };
  return place.registerTool(
    {
      name,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      inputSchema: inputSchema ?? { type: "object" },
      ...(annotations === undefined ? {} : { annotations }),
      ...(Object.keys(marks).length === 0 ? {} : { _meta: marks }),
      execute: (input, context) => runAction({ name, handler, hub }, input, context),
    },
    { signal },
  );
}

function lastPage(name: string): ActionPlace {
  const toolbox = getPageToolbox();
  if (toolbox && isPlace(toolbox)) return toolbox;
  throw new PagewireError(
    "options-invalid",
    `There is no page to register the action "${name}" in. Connect one first with connectPage(), or pass it as the option "toolbox".`,
  );
}

function isPlace(toolbox: Toolbox): toolbox is Toolbox & ActionPlace {
  return "registerTool" in toolbox;
}
