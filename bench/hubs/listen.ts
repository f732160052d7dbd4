import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Started } from "../harness/role.ts";

/** Listens on this port of this machine, or on a free one. */
export function listen(server: Server, port = 0): Promise<Started> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve({ port: (server.address() as AddressInfo).port }));
  });
}
