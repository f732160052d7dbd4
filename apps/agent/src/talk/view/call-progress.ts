import { showInvisible } from "pagewire/wire";
import { html } from "../../../../common/src/dom.ts";
import type { Parent } from "../../parent/connect-parent.ts";

export interface CallProgress {
  readonly element: HTMLElement;
  /** Whether the call still runs. */
  follow(isRunning: boolean): void;
}

/** How far a running call is, in the words of its tool. */
export function createCallProgress(parent: Pick<Parent, "onProgress">, callId: string): CallProgress {
  const bar = html("progress", { "aria-label": "Progress" });
  const words = html("p", { class: "progress-words" });
  const element = html("div", { class: "call-progress", hidden: true }, bar, words);
  let leave: (() => void) | undefined;

  return {
    element,
    follow(isRunning) {
      if (!isRunning) {
        leave?.();
        leave = undefined;
        element.hidden = true;
        return;
      }
      leave ??= parent.onProgress(({ toolCallId, progress, total, message }) => {
        if (toolCallId !== callId) return;
        element.hidden = false;
        bar.hidden = total === undefined || total <= 0;
        if (total !== undefined && total > 0) {
          bar.max = total;
          bar.value = Math.min(progress, total);
        }
        words.textContent = message === undefined ? "" : showInvisible(message.slice(0, 300));
      });
    },
  };
}
