import type { Roster, SeenAgent } from "../../state/agents/roster.ts";
import { byId, html, show } from "../dom.ts";
import { formatCount, formatTime } from "../format.ts";
import { agentMark } from "./agent-mark.ts";
import { calledElement } from "./called-element.ts";

/** The agents that have called since the page was loaded, how often each has, and when last. */
export function mountSeenAgents(roster: Roster): void {
  const section = byId("seen", HTMLElement);
  const list = byId("seen-agents", HTMLUListElement);
  roster.watch(["agents"], ({ agents }) => {
    section.hidden = agents.length === 0;
    show(list, ...agents.map(createItem));
  });
}

function createItem(agent: SeenAgent): HTMLLIElement {
  const { calls, running, lastAt } = agent;
  const last = html("time", { datetime: new Date(lastAt).toISOString() }, formatTime(lastAt));
  return html(
    "li",
    { class: running > 0 ? "seen-agent running" : "seen-agent" },
    agentMark(agent),
    calledElement(agent),
    html("span", { class: "seen-calls" }, calls === 1 ? "1 call" : `${formatCount(calls)} calls`),
    html("span", { class: "seen-last" }, running > 0 ? "calling now" : "last at ", running === 0 && last),
  );
}
