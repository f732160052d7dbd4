import { createServer } from "node:http";
import express from "express";
import type { Started } from "../harness/role.ts";
import { acceptJsonPages } from "./json-pages.ts";
import { listen } from "./listen.ts";

/** express 5 with its own JSON, and the pages of the hub by hand. */
export function startExpressHub(): Promise<Started> {
  const app = express();
  const server = createServer(app);
  const pages = acceptJsonPages(server);
  app.use(express.json({ limit: "16mb" }));
  app.post("/api/call/:tool", async (request, response) => {
    if (!pages.ready) return void response.sendStatus(503);
    response.json(await pages.call(request.params.tool, request.body));
  });
  return listen(server);
}
