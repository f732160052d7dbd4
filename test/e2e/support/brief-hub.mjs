// A hub whose calls, those of MCP too, have two seconds, in a process that a test can stop: the command has no options for limits.
import { createHub } from "pagewire/hub";

const [, , , port, origin] = process.argv;
const hub = await createHub({
  port: Number(port),
  agentToken: () => "token",
  allowedOrigins: () => [origin],
  limits: { callTimeMost: 2000 },
});
process.once("SIGTERM", () => void hub.close());
