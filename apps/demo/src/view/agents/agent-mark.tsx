import type { CallerInfo } from "pagewire/toolbox";
import { agentName, agentVersion } from "../../state/agents/agent-label.ts";
import type { SeenAgent } from "../../state/agents/roster.ts";

const colours = 6;

/** A letter on a colour; decorative, because the name is next to it. */
export function AgentMark({ agent }: { readonly agent: Pick<SeenAgent, "name" | "place"> }) {
  const letter = /[\p{L}\p{N}]/u.exec(agentName(agent))?.[0] ?? "?";
  return <span class="agent-mark" data-colour={agent.place % colours} data-letter={letter.toUpperCase()} />;
}

/** An agent's name and version; if there is not enough space, the name is shortened. */
export function Called({ caller }: { readonly caller: CallerInfo }) {
  const version = agentVersion(caller);
  return (
    <span class="called">
      <bdi class="cut called-name">{agentName(caller)}</bdi>
      {version !== "" && <bdi class="called-version"> {version}</bdi>}
    </span>
  );
}
