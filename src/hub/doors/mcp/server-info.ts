import { version } from "../../version.ts";

/** What this server calls itself. */
export const serverInfo = { name: "pagewire", title: "Pagewire", version } as const;
