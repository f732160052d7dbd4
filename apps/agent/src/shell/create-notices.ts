import { createCommandLine } from "../command-line.ts";
import { html, show } from "../../../common/src/dom.ts";

/** A problem or a notice, and how to fix it. */
export interface Notice {
  readonly tone: "info" | "warn" | "danger";
  readonly text: string;
  /** To be pasted into a terminal. */
  readonly command?: string;
  readonly action?: { readonly label: string; run(): void };
}

export interface Notices {
  readonly element: HTMLElement;
  /** Shows a notice about a matter in place of the one before; undefined where there is none any more. */
  set(matter: string, notice: Notice | undefined): void;
}

/** The notices above the conversation, each announced to screen readers. */
export function createNotices(): Notices {
  const element = html("div", { class: "notices", role: "status" });
  const shown = new Map<string, { readonly text: string; readonly box: HTMLElement }>();
  return {
    element,
    set(matter, notice) {
      const text = notice && JSON.stringify(notice);
      if (shown.get(matter)?.text === text) return;
      const before = shown.get(matter)?.box;
      shown.delete(matter);
      if (notice && text !== undefined) {
        const box = boxOf(notice);
        shown.set(matter, { text, box });
        if (before) before.replaceWith(box);
        else element.append(box);
      } else before?.remove();
    },
  };
}

function boxOf({ tone, text, command, action }: Notice): HTMLElement {
  const button =
    action && html("button", { type: "button", class: "button", onclick: () => action.run() }, action.label);
  const box = html("div", { class: `notice ${tone}` });
  show(box, html("p", {}, text), command !== undefined && createCommandLine(command), button);
  return box;
}
