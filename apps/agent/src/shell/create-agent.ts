import { AiAgent, bootstrapAi } from "pagewire/ai-agent";
import type { Session } from "../session/session.ts";

/** Creates the element that connects this user to the hub's model. It continues its conversation after a reload. */
export function createAgent(session: Pick<Session, "bearer">): AiAgent {
  const remoteCoreUrl = `${location.origin.replace("http", "ws")}/ai-agent`;
  bootstrapAi({ remote: { enableRemote: true, remoteCoreUrl, keepConversation: "session" } });
  const agent = new AiAgent();
  agent.id = "agent";
  agent.token = () => session.bearer();
  agent.setAttribute("tools", "page");
  return agent;
}

/** Makes an agent retry after its connection has ended for good. */
export function reconnect(agent: AiAgent): void {
  const { parentNode, nextSibling } = agent;
  agent.remove();
  // It leaves when the running task is over, in case it is only moved.
  setTimeout(() => parentNode?.insertBefore(agent, nextSibling));
}
