import type { Started } from "../harness/role.ts";
import { acceptJsonPages } from "./json-pages.ts";
import { createJsonServer } from "./json-server.ts";
import { listen } from "./listen.ts";

/** The peer that one writes in an hour: node:http and ws, JSON.parse and JSON.stringify at every step. */
export function startByHandHub(): Promise<Started> {
  return listen(createJsonServer((server) => acceptJsonPages(server).call));
}
