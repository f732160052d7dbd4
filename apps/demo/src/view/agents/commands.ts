import type { Announce } from "../announcer.ts";
import { byId, show } from "../dom.ts";
import { commandBox } from "./command-box.ts";

const commands = [
  "npx pagewire tools",
  `npx pagewire call get_sales_data '{"days":30}'`,
  `npx pagewire call highlight '{"target":"revenue_chart"}'`,
];

/** Commands that call the page's tools from a terminal; they find the hub on this machine by themselves. */
export function mountCommands(announce: Announce): void {
  show(byId("commands", HTMLElement), ...commands.map((command) => commandBox(command, announce)));
}
