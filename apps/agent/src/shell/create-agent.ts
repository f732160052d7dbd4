import { AiAgent, bootstrapAi } from "pagewire/ai-agent";
import type { Session } from "../session/session.ts";

/** Makes the element that speaks to the hub's model for this user. A reload goes on with its conversation. */
export function createAgent(session: Pick<Session, "bearer">): AiAgent {
  const remoteCoreUrl = `${location.origin.replace("http", "ws")}/ai-agent`;
  bootstrapAi({ remote: { enableRemote: true, remoteCoreUrl, keepConversation: "session" } });
  const agent = new AiAgent();
  agent.id = "agent";
  agent.token = () => session.bearer();
  agent.setAttribute("tools", "page");
  return agent;
}

/** Has an agent whose connection ended for good try once more. */
export function reconnect(agent: AiAgent): void {
  const { parentNode, nextSibling } = agent;
  agent.remove();
  // It leaves when the running task is over, in case it is only moved.
  setTimeout(() => parentNode?.insertBefore(agent, nextSibling));
}
