// Whether a recorded call can be made again, where, and whether that needs a question first.
import { isJsonObject } from "pagewire/wire";
import type { JsonObject } from "pagewire/wire";
import type { HubTab } from "../hub/facts.ts";
import type { CallRecord } from "./steps.ts";

export type Replay =
  | {
      readonly tab: HubTab;
      readonly name: string;
      readonly arguments: JsonObject;
      /** Why a person should be asked first; undefined where the tool only reads, or changes nothing for good. */
      readonly warning: string | undefined;
    }
  | { readonly problem: string; readonly tab?: HubTab };

/** Arguments as short as this are `{}`. */
const emptyBytes = 2;
const masked = "***";

export function replayOf(record: CallRecord, tabs: readonly HubTab[]): Replay {
  const { details, name } = record;
  if (typeof name !== "string" || name === "") return { problem: "The record has no tool's name." };
  if (isJsonObject(details) && details["method"] !== undefined)
    return { problem: "Only tools can be called again here." };
  const tab = tabOf(record, name, tabs);
  const tool = tab?.tools.find((each) => each.name === name);
  if (!tab || !tool)
    return { problem: "No connected page offers this tool now. Open its page, and it can be called again." };
  const given = argumentsOf(record);
  if (!given) return { problem: "The audit does not have all of its arguments.", tab };
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
  const isHarmless = readOnlyHint === true || destructiveHint === false;
  const said =
    destructiveHint === true ? "says that it destroys or overwrites something" : "does not say that it only reads";
  return { tab, name, arguments: given, warning: isHarmless ? undefined : `The tool ${said}.` };
}

/** Its own tab if that is there, else one of the same app and site. */
function tabOf(record: CallRecord, name: string, tabs: readonly HubTab[]): HubTab | undefined {
  const offering = tabs.filter(({ tools }) => tools.some((tool) => tool.name === name));
  const isSame = ({ origin, app }: HubTab) => origin === record["origin"] && app === record["app"];
  return offering.find(({ tabId }) => tabId === record["tab"]) ?? offering.find(isSame);
}

/** Undefined where they were not kept, were cut, or had secrets in them. */
function argumentsOf({ details, argumentsBytes }: CallRecord): JsonObject | undefined {
  const text = isJsonObject(details) ? details["arguments"] : undefined;
  if (typeof argumentsBytes === "number" && argumentsBytes <= emptyBytes) return {};
  if (typeof text !== "string" || text.includes(masked)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
