import type { TextPiece, ToolChange } from "pagewire/toolbox";
import { showInvisible } from "pagewire/wire";
import { html } from "../../../../common/src/dom.ts";

/** What a tool said of itself when it was allowed, beside what it says now. */
export function toolChange({ before, after }: ToolChange): HTMLElement {
  return html(
    "div",
    { class: "tool-change" },
    html(
      "section",
      {},
      html("h4", {}, "When you allowed it"),
      html("pre", { tabindex: "0" }, ...marked("del", before)),
    ),
    html("section", {}, html("h4", {}, "Now"), html("pre", { tabindex: "0" }, ...marked("ins", after))),
  );
}

function marked(tag: "del" | "ins", pieces: readonly TextPiece[]): readonly (HTMLElement | string)[] {
  return pieces.map(({ text, differs }) => (differs ? html(tag, {}, showInvisible(text)) : showInvisible(text)));
}
