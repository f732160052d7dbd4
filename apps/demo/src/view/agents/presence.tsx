import { render } from "preact";
import { presenceOf } from "../../state/agents/roster.ts";
import type { Presence, Roster, SeenAgent } from "../../state/agents/roster.ts";
import { byId } from "../dom.ts";
import { formatCount, formatTime } from "../format.ts";
import { AgentMark, Called } from "./agent-mark.tsx";

/** Most calls end before their caller's name could be read. */
const stays = 2000;

/** One line that shows who is using the page. The announcer already announces calls, so this is not announced. */
export function mountPresence(roster: Roster): void {
  const line = byId("presence", HTMLElement);
  let timer: number | undefined;

  function draw({ who, does }: Presence, isUsed: boolean): void {
    line.classList.toggle("used", isUsed);
    render(
      <>
        <span class="dot" aria-hidden="true" />
        <bdi class="cut">{who}</bdi> <span>{does}</span>
      </>,
      line,
    );
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
    const items = agents.map((agent) => <SeenItem key={agent.place} agent={agent} />);
    render(items, list);
  });
}

function SeenItem({ agent }: { readonly agent: SeenAgent }) {
  const { calls, running, lastAt } = agent;
  return (
    <li class={running > 0 ? "seen-agent running" : "seen-agent"}>
      <AgentMark agent={agent} />
      <Called caller={agent} />
      <span class="hint">{calls === 1 ? "1 call" : `${formatCount(calls)} calls`}</span>
      <span class="hint seen-last">
        {running > 0 ? "calling now" : "last at "}
        {running === 0 && <time dateTime={new Date(lastAt).toISOString()}>{formatTime(lastAt)}</time>}
      </span>
    </li>
  );
}
