/** On a server there are no elements: there the classes can be imported and named, and no more. */
export const HtmlElement = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/** Hides an element. Its attributes stay as a server may have rendered them, because frameworks compare them. */
export function hide(element: HTMLElement): void {
  if (element.shadowRoot) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(":host { display: none }");
  element.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet];
}
