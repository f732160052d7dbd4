import type { Page, PageState } from "pagewire/page";
import type { Announce } from "../announcer.ts";
import { byId, html, show } from "../dom.ts";
import { commandBox } from "./command-box.ts";

/** The state of the page's connection to its hub, and how to fix a failure. */
export function mountConnection(page: Page, announce: Announce): void {
  const section = byId("connection", HTMLElement);
  let timer: number | undefined;

  function draw(state: PageState): void {
    clearInterval(timer);
    const line = html("p", { class: "connection-state" }, stateDot(state), html("span", {}, state.message));
    const command = state.status === "refused" && state.command !== undefined && commandBox(state.command, announce);
    const retryAt = state.status === "refused" || state.status === "reconnecting" ? state.retryAt : undefined;
    show(section, line, command, retryAt !== undefined && createRetry(retryAt));
  }

  function createRetry(retryAt: number): HTMLElement {
    const countdown = html("span");
    const tick = (): void => {
      const seconds = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
      countdown.textContent = seconds === 0 ? "Trying again" : `Trying again in ${seconds} s`;
    };
    tick();
    timer = setInterval(tick, 500);
    const button = html("button", { type: "button", class: "button", onclick: () => page.reconnect() }, "Try now");
    return html("div", { class: "connection-retry" }, countdown, button);
  }

  let { status } = page.state;
  draw(page.state);
  page.onState((state) => {
    draw(state);
    // Do not announce each further failed attempt.
    if (state.status !== status) announce(state.message);
    status = state.status;
  });
}

/** A dot in the colour of a state; its meaning is in the words beside it. */
export function stateDot({ status }: PageState): HTMLElement {
  return html("span", { class: `dot ${status}`, "aria-hidden": "true" });
}

/** Shows why there are no agents on this page, and removes the elements for them. */
export function showHubProblem(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  show(byId("assistant-notice", HTMLElement), html("div", { class: "notice" }, html("p", {}, message)));
  byId("agents", HTMLElement).hidden = true;
  byId("agents-open", HTMLElement).hidden = true;
  byId("app", HTMLElement).classList.add("alone");
}
