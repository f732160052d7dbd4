import type { Page, PageState } from "pagewire/page";
import { render } from "preact";
import { agentName } from "../../state/agents/agent-label.ts";
import { presenceOf } from "../../state/agents/roster.ts";
import type { PageCalls } from "../../state/agents/page-calls.ts";
import type { Roster } from "../../state/agents/roster.ts";
import { byId } from "../dom.ts";
import { StateDot } from "./connection.tsx";
import { outcomeText } from "./activity.tsx";

export interface SheetOptions {
  readonly page: Pick<Page, "state" | "onState">;
  readonly calls: Pick<PageCalls, "onCall">;
  readonly roster: Pick<Roster, "agents">;
}

/** On narrow screens the agents' panel is a sheet: a bar along the bottom opens it. */
export function mountSheet({ page, calls, roster }: SheetOptions): void {
  const sheet = byId("agents", HTMLElement);
  const app = byId("app", HTMLElement);
  const bar = byId("agents-open", HTMLButtonElement);
  const scrim = byId("scrim", HTMLElement);
  const isNarrow = matchMedia("(max-width: 1120px)");
  let last = messageOf(page.state);
  let isUsed = false;

  function set(isOpen: boolean): void {
    sheet.classList.toggle("open", isOpen);
    scrim.hidden = !isOpen;
    // The content behind an open sheet is not reachable by keys or screen readers, as for the pointer.
    app.inert = isOpen;
    bar.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) byId("agents-title", HTMLElement).focus();
  }

  function close(): void {
    if (bar.getAttribute("aria-expanded") !== "true") return;
    set(false);
    bar.focus();
  }

  /** A page that is connected still waits for its first agent. */
  function messageOf({ status, message }: PageState): string {
    return status === "connected" && roster.agents().length === 0 ? "Connect your agent" : message;
  }

  function draw(): void {
    render(
      <>
        <StateDot state={page.state} />
        <span>Agents</span>
        <span class={isUsed ? "last used" : "last"}>{last}</span>
      </>,
      bar,
    );
  }

  bar.addEventListener("click", () => set(true));
  scrim.addEventListener("click", close);
  byId("agents-close", HTMLButtonElement).addEventListener("click", close);
  sheet.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  isNarrow.addEventListener("change", () => set(false));

  page.onState((state) => {
    last = messageOf(state);
    isUsed = false;
    draw();
  });
  calls.onCall((call) => {
    const { name, agent } = call;
    const present = presenceOf(roster.agents());
    isUsed = present !== undefined;
    last = present
      ? `${present.who} ${present.does}`
      : `${name} by ${agentName({ name: agent })}: ${outcomeText(call)}`;
    draw();
  });
  draw();
}
