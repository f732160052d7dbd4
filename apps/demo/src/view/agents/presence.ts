import { presenceOf } from "../../state/agents/roster.ts";
import type { Presence, Roster, SeenAgent } from "../../state/agents/roster.ts";
import { byId, html, show } from "../dom.ts";
import { formatCount, formatTime } from "../format.ts";
import { agentMark, calledElement } from "./agent-mark.ts";

/** Most calls end before their caller's name could be read. */
const stays = 2000;

/** One line that shows who is using the page. The announcer already announces calls, so this is not announced. */
export function mountPresence(roster: Roster): void {
  const line = byId("presence", HTMLElement);
  let timer: number | undefined;

  function draw({ who, does }: Presence, isUsed: boolean): void {
    line.classList.toggle("used", isUsed);
    const dot = html("span", { class: "dot", "aria-hidden": "true" });
    show(line, dot, html("bdi", { class: "presence-who" }, who), " ", html("span", {}, does));
  }

  roster.watch(["agents"], ({ agents }) => {
    const present = presenceOf(agents);
    clearTimeout(timer);
    if (present) draw(present, true);
    else if (agents.length === 0) draw({ who: "No agent", does: "has used this page yet" }, false);
    else timer = setTimeout(() => draw({ who: "No agent", does: "is using this page now" }, false), stays);
  });
}

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
