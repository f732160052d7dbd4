import { AiAgent, bootstrapAi } from "pagewire/ai-agent";
import type { ModelSource } from "pagewire/chat";
import type { Session } from "../../../common/src/session/session.ts";

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

/** The models that the hub permits this user, who chooses for one conversation and never for the hub. */
export function modelsOf(agent: AiAgent, { info: { model } }: Pick<Session, "info">): ModelSource {
  return { isOn: model !== null && !model.isRehearsal, byDefault: model?.models[0], list: () => agent.models() };
}

/** Makes an agent retry after its connection has ended for good. */
export function reconnect(agent: AiAgent): void {
  const { parentNode, nextSibling } = agent;
  agent.remove();
  // It leaves when the running task is over, in case it is only moved.
  setTimeout(() => parentNode?.insertBefore(agent, nextSibling));
}
