import type { TextPiece, ToolChange } from "../../toolbox/index.ts";
import { showInvisible } from "../../wire/index.ts";
import { element } from "./element.ts";

/** What a tool said of itself when it was allowed, beside what it says now. */
export function toolChange({ before, after }: ToolChange): HTMLElement {
  const beside = element("div", { className: "beside" });
  beside.append(
    titled("When you allowed it", scrolled(...marked("del", before))),
    titled("Now", scrolled(...marked("ins", after))),
  );
  return beside;
}

export function titled(title: string, content: HTMLElement): HTMLElement {
  const section = element("section", {});
  section.append(element("small", { textContent: title }), content);
  return section;
}

/** A text that can be scrolled by keyboard, too. */
export function scrolled(...content: readonly (Node | string)[]): HTMLElement {
  const pre = element("pre", { tabIndex: 0 });
  pre.append(...content);
  return pre;
}

export function toolChangeStyles(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    .beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(11rem, 100%), 1fr)); gap: 0 0.75rem; }
    section { min-width: 0; }
    del { background: color-mix(in srgb, #d02a1e 22%, Canvas); }
    ins { background: color-mix(in srgb, #1a9a4b 26%, Canvas); text-decoration: none; }
  `);
  return sheet;
}

function marked(tag: "del" | "ins", pieces: readonly TextPiece[]): readonly (Node | string)[] {
  return pieces.map(({ text, differs }) => {
    const shown = showInvisible(text);
    return differs ? element(tag, { textContent: shown }) : shown;
  });
}
