import { html, show } from "../dom/dom.ts";
import { createMarkdownView } from "../markdown/markdown-view.ts";
import type { AnswerTurn } from "../model/turns.ts";
import { usageText } from "../model/usage-text.ts";
import { iconButton } from "./icon-button.ts";
import { madePictures } from "./pictures.ts";
import { createSources } from "./sources.ts";
import type { TurnView } from "./turn-view.ts";

export interface AnswerTurnOptions {
  readonly onCopy: (text: string) => void;
  readonly onRegenerate: () => void;
}

/** The model's answer, while it streams and afterwards. */
export function createAnswerTurn(first: AnswerTurn, { onCopy, onRegenerate }: AnswerTurnOptions): TurnView<AnswerTurn> {
  let turn = first;
  const thoughts = createThoughts();
  const markdown = createMarkdownView();
  const drawn = html("div", {});
  let shown: readonly string[] = [];
  const sources = createSources();
  const dots = html("p", { class: "dots", role: "img", "aria-label": "The answer is coming" });
  dots.append(html("span"), html("span"), html("span"));
  const remark = html("p", { class: "remark" });
  const copy = iconButton({ icon: "copy", name: "Copy the answer", onclick: () => onCopy(turn.whole ?? turn.text) });
  const again = iconButton({ icon: "again", name: "Answer once more", onclick: onRegenerate });
  again.classList.add("at-rest");
  const usage = html("span", { class: "usage" });
  const actions = html("div", { class: "actions" }, copy, again, usage);
  const element = html(
    "article",
    { class: "turn answer", part: "answer", "aria-label": "Assistant" },
    thoughts.element,
    markdown.element,
    drawn,
    dots,
    sources.element,
    remark,
    actions,
  );

  function draw(): void {
    const { text, images, reasoning, isStreaming } = turn;
    thoughts.update(reasoning, isStreaming && text === "");
    markdown.update(text, !isStreaming);
    markdown.element.hidden = text === "";
    if (images.length !== shown.length || images.some((url, at) => url !== shown[at]))
      show(drawn, madePictures(images));
    shown = images;
    drawn.hidden = images.length === 0;
    sources.update(turn.sources);
    dots.hidden = !isStreaming || text !== "";
    remark.textContent = turn.remark ?? "";
    remark.hidden = turn.remark === undefined;
    actions.hidden = turn.whole === undefined;
    again.hidden = !turn.isNewest;
    usage.textContent = usageText(turn);
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
