import type { CallerInfo } from "pagewire/toolbox";
import { agentName, agentVersion } from "../../state/agents/agent-label.ts";
import { html } from "../dom.ts";

/** What an agent is called; where there is no room its name is cut, not its version. */
export function calledElement(caller: CallerInfo): HTMLElement {
  const version = agentVersion(caller);
  return html(
    "span",
    { class: "called" },
    html("bdi", { class: "called-name" }, agentName(caller)),
    version !== "" && html("bdi", { class: "called-version" }, ` ${version}`),
  );
}
