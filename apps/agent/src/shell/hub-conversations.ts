import type { AiAgent } from "pagewire/ai-agent";
import { parseConversations } from "pagewire/chat";
import type { ConversationSource } from "pagewire/chat";
import type { Session } from "../../../common/src/session/session.ts";

/** The user's conversations by the hub's HTTP API, which answers also without a model. */
export function hubConversations(agent: AiAgent, session: Pick<Session, "request">): ConversationSource {
  return {
    get current() {
      return agent.conversation;
    },
    list: async () => parseConversations(await session.request("GET", "/api/conversations")),
    async remove(id) {
      await session.request("DELETE", `/api/conversations/${encodeURIComponent(id)}`);
    },
  };
}
