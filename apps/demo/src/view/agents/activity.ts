import type { PageCallEvent } from "pagewire/page";
import { agentLabel } from "../../state/agents/agent-label.ts";
import type { PageCalls } from "../../state/agents/page-calls.ts";
import type { Roster, SeenAgent } from "../../state/agents/roster.ts";
import type { Announce } from "../announcer.ts";
import { byId, html, show } from "../dom.ts";
import { formatDuration } from "../format.ts";
import { agentMark, calledElement } from "./agent-mark.ts";

const mostShown = 50;

interface Entry {
  readonly item: HTMLLIElement;
  readonly outcome: HTMLElement;
  readonly progress: HTMLProgressElement;
}

export interface ActivityOptions {
  readonly calls: Pick<PageCalls, "onCall">;
  readonly roster: Pick<Roster, "callerOf">;
  readonly announce: Announce;
}

/** Each call as it happens, newest first. */
export function mountActivity({ calls, roster, announce }: ActivityOptions): void {
  const list = byId("activity", HTMLOListElement);
  const entries = new Map<string, Entry>();
  show(list, html("li", { class: "hint" }, "No calls yet. They appear here as they happen."));

  calls.onCall((event) => {
    if (event.event === "started") return start(event);
    const entry = entries.get(event.id);
    if (entry === undefined) return;
    if (event.event === "progress") return advance(entry, event);
    entries.delete(event.id);
    end(entry, event);
    announce(`${event.name} ended: ${outcomeText(event)}`);
  });

  function start(event: PageCallEvent): void {
    const agent = roster.callerOf(event.id) ?? { name: event.agent, version: event.agentVersion, place: 0 };
    const entry = createEntry(event, agent);
    if (list.querySelector(".call") === null) show(list);
    entries.set(event.id, entry);
    list.prepend(entry.item);
    while (list.childElementCount > mostShown) list.lastElementChild?.remove();
    announce(`${agentLabel(agent)} called ${event.name}`);
  }
}

function createEntry(event: PageCallEvent, agent: Pick<SeenAgent, "name" | "version" | "place">): Entry {
  const outcome = html("span", { class: "call-outcome" }, "running");
  const progress = html("progress", { "aria-label": `Progress of ${event.name}`, hidden: true });
  const item = html(
    "li",
    { class: "call", "data-call": event.name },
    html("p", { class: "call-head" }, html("span", { class: "call-name" }, event.name), outcome),
    html("p", { class: "call-agent" }, agentMark(agent), html("span", {}, "by "), calledElement(agent)),
    argumentsOf(event),
    progress,
  );
  return { item, outcome, progress };
}

function argumentsOf({ arguments: given }: PageCallEvent): HTMLElement | false {
  if (given === undefined || Object.keys(given).length === 0) return false;
  return html(
    "details",
    {},
    html("summary", {}, "Arguments"),
    html("pre", { tabindex: "0" }, JSON.stringify(given, undefined, 2)),
  );
}

function advance({ progress, outcome }: Entry, { progress: done, total }: PageCallEvent): void {
  if (done === undefined || total === undefined) return;
  progress.hidden = false;
  progress.max = total;
  progress.value = done;
  outcome.textContent = `${Math.round((done / total) * 100)}%`;
}

function end({ item, outcome, progress }: Entry, event: PageCallEvent): void {
  item.classList.add("ended");
  item.classList.toggle("failed", event.outcome !== "ok");
  const duration = event.milliseconds === undefined ? "" : ` · ${formatDuration(event.milliseconds)}`;
  outcome.textContent = `${outcomeText(event)}${duration}`;
  progress.remove();
}

/** How a call ended, for people. */
export function outcomeText({ outcome = "outcome-unknown" }: PageCallEvent): string {
  return outcome === "ok" ? "done" : outcome.replaceAll("-", " ");
}
