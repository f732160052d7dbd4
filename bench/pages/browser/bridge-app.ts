// An app with an agent's window, as one writes it with the package.
import { AgentBridge } from "pagewire/agent-window";
import { answerTo } from "../answers.ts";
import type { ToolArguments } from "../answers.ts";
import { toolsForWindow } from "../offered-tools.ts";
import { query } from "./query.ts";

const { origin, href } = new URL(query.get("agent") ?? "");
let isCalled = false;
let isPlain = false;

// Otherwise calls that use another transport than configured would be measured.
addEventListener("message", ({ data }: MessageEvent<{ readonly type?: string }>) => {
  isPlain ||= data.type === "tool_call";
});

const bridge = new AgentBridge({ agentOrigin: origin, agentUrl: href });
bridge.registerTools(toolsForWindow());
bridge.onToolCall<ToolArguments>("answer", (given) => {
  if (isPlain) throw new Error("The call did not come over a port.");
  isCalled = true;
  return answerTo(given);
});
bridge.openAgent();

// The hub's model receives the tools with a prompt.
const asking = setInterval(() => {
  if (isCalled) clearInterval(asking);
  else bridge.injectMessage("Begin.", { autoSend: true });
}, 1000);
