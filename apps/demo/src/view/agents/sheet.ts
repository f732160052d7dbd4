import type { Page } from "pagewire/page";
import { byId, html, show } from "../dom.ts";
import { stateDot } from "./connection.ts";
import { outcomeText } from "./outcome-text.ts";

/** On narrow screens the agents' panel is a sheet: a bar along the bottom opens it. */
export function mountSheet(page: Page): void {
  const sheet = byId("agents", HTMLElement);
  const app = byId("app", HTMLElement);
  const bar = byId("agents-open", HTMLButtonElement);
  const scrim = byId("scrim", HTMLElement);
  const isNarrow = matchMedia("(max-width: 1120px)");
  let last = page.state.message;

  function set(isOpen: boolean): void {
    sheet.classList.toggle("open", isOpen);
    scrim.hidden = !isOpen;
    // What is behind an open sheet is out of reach for keys and readers, as it is for the pointer.
    app.inert = isOpen;
    bar.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) byId("agents-title", HTMLElement).focus();
  }

  function close(): void {
    if (bar.getAttribute("aria-expanded") !== "true") return;
    set(false);
    bar.focus();
  }

  function draw(): void {
    show(bar, stateDot(page.state), html("span", {}, "Agents"), html("span", { class: "last" }, last));
  }

  bar.addEventListener("click", () => set(true));
  scrim.addEventListener("click", close);
  byId("agents-close", HTMLButtonElement).addEventListener("click", close);
  sheet.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  isNarrow.addEventListener("change", () => set(false));

  page.onState((state) => {
    last = state.message;
    draw();
  });
  page.onCall((call) => {
    const { event, name, agent } = call;
    last = `${name} by ${agent}${event === "ended" ? `: ${outcomeText(call)}` : ""}`;
    draw();
  });
  draw();
}
