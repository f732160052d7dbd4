import type { PageCallEvent } from "pagewire/page";
import { render } from "preact";
import { agentLabel } from "../../state/agents/agent-label.ts";
import type { PageCalls } from "../../state/agents/page-calls.ts";
import type { Roster, SeenAgent } from "../../state/agents/roster.ts";
import type { Announce } from "../announcer.ts";
import { byId } from "../dom.ts";
import { formatDuration } from "../format.ts";
import { AgentMark, Called } from "./agent-mark.tsx";

const mostShown = 50;

interface Entry {
  readonly begun: PageCallEvent;
  readonly agent: Pick<SeenAgent, "name" | "version" | "place">;
  readonly progress?: PageCallEvent;
  readonly end?: PageCallEvent;
}

export interface ActivityOptions {
  readonly calls: Pick<PageCalls, "onCall">;
  readonly roster: Pick<Roster, "callerOf">;
  readonly announce: Announce;
}

/** Each call as it happens, newest first. */
export function mountActivity({ calls, roster, announce }: ActivityOptions): void {
  const list = byId("activity", HTMLOListElement);
  let entries: readonly Entry[] = [];

  function draw(): void {
    const none = <li class="hint">No calls yet. They appear here as they happen.</li>;
    render(entries.length === 0 ? none : entries.map((entry) => <CallItem key={entry.begun.id} {...entry} />), list);
  }

  calls.onCall((event) => {
    const { id, name } = event;
    if (event.event === "started") {
      const agent = roster.callerOf(id) ?? { name: event.agent, version: event.agentVersion, place: 0 };
      entries = [{ begun: event, agent }, ...entries].slice(0, mostShown);
      announce(`${agentLabel(agent)} called ${name}`);
    } else if (entries.some(({ begun, end }) => begun.id === id && !end)) {
      const news = event.event === "progress" ? { progress: event } : { end: event };
      entries = entries.map((entry) => (entry.begun.id === id ? { ...entry, ...news } : entry));
      if (event.event === "ended") announce(`${name} ended: ${outcomeText(event)}`);
    }
    draw();
  });
  draw();
}

function CallItem({ begun, agent, progress, end }: Entry) {
  const { name, arguments: given } = begun;
  const { progress: done, total } = progress ?? {};
  const part = done === undefined || total === undefined ? undefined : { value: done, max: total };
  const kind = end === undefined ? "call" : end.outcome === "ok" ? "call ended" : "call ended failed";
  return (
    <li class={kind} data-call={name}>
      <p class="call-head">
        <span class="call-name">{name}</span>
        <span class="call-outcome">{end ? endText(end) : part ? percent(part) : "running"}</span>
      </p>
      <p class="call-agent">
        <AgentMark agent={agent} />
        <span>by </span>
        <Called caller={agent} />
      </p>
      {given !== undefined && Object.keys(given).length > 0 && (
        <details>
          <summary>Arguments</summary>
          <pre tabIndex={0}>{JSON.stringify(given, undefined, 2)}</pre>
        </details>
      )}
      {!end && part && <progress aria-label={`Progress of ${name}`} {...part} />}
    </li>
  );
}

function percent({ value, max }: { readonly value: number; readonly max: number }): string {
  return `${Math.round((value / max) * 100)}%`;
}

function endText(event: PageCallEvent): string {
  const { milliseconds } = event;
  return `${outcomeText(event)}${milliseconds === undefined ? "" : ` · ${formatDuration(milliseconds)}`}`;
}

/** How a call ended, for people. */
export function outcomeText({ outcome = "outcome-unknown" }: PageCallEvent): string {
  return outcome === "ok" ? "done" : outcome.replaceAll("-", " ");
}
