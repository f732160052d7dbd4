import { html } from "../../../../common/src/dom.ts";
import { createMarkdown } from "../../markdown/create-markdown.ts";
import type { AnswerTurn } from "../state/turns.ts";
import { iconButton } from "./icon-button.ts";
import type { TurnView } from "./turn-view.ts";

export interface AnswerTurnOptions {
  readonly onCopy: (text: string) => void;
  readonly onRegenerate: () => void;
}

/** The model's answer, while it streams and afterwards. */
export function createAnswerTurn(first: AnswerTurn, { onCopy, onRegenerate }: AnswerTurnOptions): TurnView<AnswerTurn> {
  let turn = first;
  const thoughts = createThoughts();
  const markdown = createMarkdown();
  const dots = html("p", { class: "dots", role: "img", "aria-label": "The answer is coming" });
  dots.append(html("span"), html("span"), html("span"));
  const remark = html("p", { class: "remark" });
  const copy = iconButton({ icon: "copy", name: "Copy the answer", onclick: () => onCopy(turn.whole ?? turn.text) });
  const again = iconButton({ icon: "again", name: "Answer once more", onclick: onRegenerate });
  again.classList.add("at-rest");
  const actions = html("div", { class: "actions" }, copy, again);
  const element = html(
    "article",
    { class: "turn answer", "aria-label": "Assistant" },
    thoughts.element,
    markdown.element,
    dots,
    remark,
    actions,
  );

  function draw(): void {
    const { text, reasoning, isStreaming } = turn;
    thoughts.update(reasoning, isStreaming && text === "");
    markdown.update(text, !isStreaming);
    markdown.element.hidden = text === "";
    dots.hidden = !isStreaming || text !== "";
    remark.textContent = turn.remark ?? "";
    remark.hidden = turn.remark === undefined;
    actions.hidden = turn.whole === undefined;
    again.hidden = !turn.isNewest;
    element.setAttribute("aria-busy", String(isStreaming));
  }

  draw();
  return {
    element,
    update(next) {
      turn = next;
      draw();
    },
    close: () => {},
  };
}

interface Thoughts {
  readonly element: HTMLDetailsElement;
  update(text: string, isThinking: boolean): void;
}

/** The model's reasoning before its answer, collapsed. */
function createThoughts(): Thoughts {
  const name = html("summary", {});
  const body = html("p", { class: "thought" });
  const element = html("details", { class: "fold thoughts", hidden: true }, name, body);
  return {
    element,
    update(text, isThinking) {
      element.hidden = text === "";
      name.textContent = isThinking ? "Thinking…" : "Thoughts";
      body.textContent = text;
    },
  };
}
