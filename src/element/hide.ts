/** Hides an element. Its attributes stay as a server may have rendered them, because frameworks compare them. */
export function hide(element: HTMLElement): void {
  if (element.shadowRoot) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(":host { display: none }");
  element.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet];
}
