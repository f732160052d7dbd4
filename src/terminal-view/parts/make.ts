type Child = Node | string | false | undefined;

/** Makes an HTML element with these properties; children that are false or undefined are left out. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((child) => child !== undefined && child !== false));
  return made;
}

/** A button that does something. */
export function makeButton(text: string, onclick: () => void, className = ""): HTMLButtonElement {
  return make("button", { type: "button", className, onclick }, text);
}
