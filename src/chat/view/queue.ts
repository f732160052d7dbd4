import { showInvisible } from "../../wire/index.ts";
import { html, show } from "../dom/dom.ts";
import { isSame } from "../model/prompt.ts";
import type { Outbox } from "../model/outbox.ts";

export interface QueueView {
  readonly element: HTMLElement;
  draw(): void;
}

/** The app's messages that wait for their turn, and for the user's word after a stop. */
export function createQueueView(outbox: Outbox): QueueView {
  const element = html("section", { class: "queue", "aria-label": "Waiting messages", hidden: true });
  let shown: readonly unknown[] = [];

  function draw(): void {
    const { queue, isHeld, isBusy } = outbox;
    if (isSame(shown, [queue, isHeld, isBusy])) return;
    shown = [queue, isHeld, isBusy];
    element.hidden = queue.length === 0;
    const items = queue.map((prompt) =>
      html(
        "li",
        {},
        html("span", { class: "who" }, `From ${showInvisible(prompt.from ?? "")}`),
        html("span", { class: "said" }, showInvisible(prompt.text)),
        html("button", { type: "button", class: "link", onclick: () => outbox.discard(prompt) }, "Discard"),
      ),
    );
    const go = html("button", { type: "button", class: "button", onclick: () => outbox.release() }, "Send now");
    const follow = isBusy ? "These follow when the answer is done." : "These follow when the app's tools are there.";
    const words = isHeld ? "These wait for you." : follow;
    show(element, html("p", {}, words), html("ol", {}, ...items), isHeld && go);
  }

  return { element, draw };
}
