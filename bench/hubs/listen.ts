import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Started } from "../harness/role.ts";

/** Listens on a free port of this machine. */
export function listen(server: Server): Promise<Started> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve({ port: (server.address() as AddressInfo).port }));
  });
}
