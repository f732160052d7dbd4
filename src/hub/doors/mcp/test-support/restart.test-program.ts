// A hub in its own process, which a test can kill. Its argument is the port; zero picks a free one.
import { createHub } from "../../../create-hub.ts";
import { shop } from "../../../test-support/peer.test-helper.ts";

const port = Number(process.argv[2]);
const hub = await createHub({ port, agentToken: () => "token", allowedOrigins: () => [shop] });
console.log(hub.port);
process.on("SIGTERM", () => void hub.drain());
