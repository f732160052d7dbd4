// A hub with a database in its own process, which a test can kill. Its argument is the database.
import { createHub } from "../../create-hub.ts";
import { shop } from "../../test-support/peer.test-helper.ts";
import { openStore } from "../../store/index.ts";

const database = process.argv[2] ?? "";
const hub = await createHub({
  port: 0,
  agentToken: () => "token",
  allowedOrigins: () => [shop],
  store: () => openStore({ database }),
});
console.log(hub.port);
process.on("SIGTERM", () => void hub.drain());
