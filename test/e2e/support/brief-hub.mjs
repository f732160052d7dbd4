// A hub with a call limit of two seconds, over MCP too, in a process that a test can stop: the command has no options for limits.
import { createHub } from "pagewire/hub";

const [, , , port, origin] = process.argv;
const hub = await createHub({
  port: Number(port),
  agentToken: () => "token",
  allowedOrigins: () => [origin],
  limits: { callTimeMost: 2000 },
});
process.once("SIGTERM", () => void hub.close());
