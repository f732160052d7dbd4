import type { AddressInfo } from "node:net";
import { fastify } from "fastify";
import type { Started } from "../harness/role.ts";
import { acceptJsonPages } from "./json-pages.ts";

/** fastify 5 with its own JSON, and the pages of the hub by hand. */
export async function startFastifyHub(): Promise<Started> {
  const app = fastify({ bodyLimit: 16 * 1024 * 1024 });
  const pages = acceptJsonPages(app.server);
  app.post<{ Params: { tool: string } }>("/api/call/:tool", (request) => pages.call(request.params.tool, request.body));
  await app.listen({ port: 0, host: "127.0.0.1" });
  return { port: (app.server.address() as AddressInfo).port };
}
