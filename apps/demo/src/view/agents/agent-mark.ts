import { agentName, agentVersion } from "../../state/agents/agent-label.ts";
import type { SeenAgent } from "../../state/agents/roster.ts";
import { html } from "../dom.ts";
import type { CallerInfo } from "pagewire/toolbox";

const colours = 6;

/** A letter on a colour; decorative, because the name is next to it. */
export function agentMark(agent: Pick<SeenAgent, "name" | "place">): HTMLElement {
  const letter = /[\p{L}\p{N}]/u.exec(agentName(agent))?.[0] ?? "?";
  const { place } = agent;
  return html("span", { class: "agent-mark", "data-colour": place % colours, "data-letter": letter.toUpperCase() });
}

/** An agent's name and version; if there is not enough space, the name is shortened. */
export function calledElement(caller: CallerInfo): HTMLElement {
  const version = agentVersion(caller);
  return html(
    "span",
    { class: "called" },
    html("bdi", { class: "called-name" }, agentName(caller)),
    version !== "" && html("bdi", { class: "called-version" }, ` ${version}`),
  );
}
