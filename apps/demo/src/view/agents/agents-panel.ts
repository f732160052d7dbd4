import type { Page } from "pagewire/page";
import { createAnnouncer } from "../announcer.ts";
import { mountActivity } from "./activity.ts";
import { mountCommands } from "./commands.ts";
import { mountConnection } from "./connection.ts";
import { mountSheet } from "./sheet.ts";
import { mountToolsList } from "./tools-list.ts";

/** Everything that shows agents at work: the connection, their calls, and the tools they have. */
export function mountAgentsPanel(page: Page): void {
  const announce = createAnnouncer();
  mountConnection(page, announce);
  mountActivity(page, announce);
  mountCommands(announce);
  mountToolsList(page);
  mountSheet(page);
}
