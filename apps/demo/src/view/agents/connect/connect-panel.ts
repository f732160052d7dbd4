import type { PageCalls } from "../../../state/agents/page-calls.ts";
import type { BrowserStorage } from "../../../state/browser-storage.ts";
import type { Announce } from "../../announcer.ts";
import { byId, html, show } from "../../dom.ts";
import { showSegments } from "../../segments.ts";
import { commandBox } from "../command-box.ts";
import { clientChoices, parseClientLines } from "./clients.ts";
import type { ClientChoice } from "./clients.ts";

const firstQuestion = "What were our best days last month?";

export interface ConnectPanelOptions {
  readonly calls: Pick<PageCalls, "onCall">;
  readonly hub: string;
  readonly storage: BrowserStorage;
  readonly announce: Announce;
}

/** How to connect an agent: it invites until one has called, and then folds itself away. */
export function mountConnectPanel({ calls, hub, storage, announce }: ConnectPanelOptions): void {
  const panel = byId("connect", HTMLDetailsElement);
  const segments = byId("clients", HTMLElement);
  const told = document.querySelector<HTMLMetaElement>("meta[name=pagewire-clients]");
  const choices = clientChoices({ hub, lines: parseClientLines(told?.content) });
  const panes = choices.map((choice) => createPane(choice, announce));
  // All of them lie in one place, which is as high as the highest: choosing moves nothing.
  show(byId("client-panes", HTMLElement), ...panes);
  show(byId("first-question", HTMLElement), commandBox(firstQuestion, announce));

  function choose(id: string): void {
    showSegments(segments, {
      choices: choices.map((choice) => ({ value: choice.id, label: choice.title })),
      chosen: id,
      choose(value) {
        storage.write("client", value);
        choose(value);
      },
    });
    choices.forEach((choice, index) => panes[index]?.classList.toggle("chosen", choice.id === id));
  }

  const kept = storage.read("client");
  choose(choices.find(({ id }) => id === kept)?.id ?? "claude-code");
  stepBackAfterCall(panel, calls);
}

function createPane({ steps, afterwards }: ClientChoice, announce: Announce): HTMLElement {
  const boxes = steps.flatMap(({ text, code }) => [html("p", { class: "hint" }, text), commandBox(code, announce)]);
  return html("div", { class: "client-pane" }, ...boxes, html("p", { class: "hint" }, afterwards));
}

/** Never under the hands of somebody who is using it: the next call tries again. */
function stepBackAfterCall(panel: HTMLDetailsElement, calls: Pick<PageCalls, "onCall">): void {
  const isUsed = (): boolean => document.hasFocus() && panel.matches(":hover, :focus-within");
  calls.onCall(() => {
    if (panel.classList.contains("stepped-back") || isUsed()) return;
    if (panel.contains(document.activeElement)) panel.querySelector("summary")?.focus({ preventScroll: true });
    panel.classList.add("stepped-back");
    panel.open = false;
    byId("connect-title", HTMLElement).textContent = "Connect another agent";
  });
}
