import { byId, html, show } from "../dom.ts";

/** Says why there are no agents on this page, and takes away what would be for them. */
export function showHubProblem(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  show(byId("assistant-notice", HTMLElement), html("div", { class: "notice" }, html("p", {}, message)));
  byId("agents", HTMLElement).hidden = true;
  byId("agents-open", HTMLElement).hidden = true;
  byId("app", HTMLElement).classList.add("alone");
}
