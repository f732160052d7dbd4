import { presenceOf } from "../../state/agents/presence.ts";
import type { Presence } from "../../state/agents/presence.ts";
import type { Roster } from "../../state/agents/roster.ts";
import { byId, html, show } from "../dom.ts";

/** Most calls are over before anybody could read who made them. */
const stays = 2000;

/** One line that says who is using the page now. The announcer tells of calls; read again here they would be noise. */
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
