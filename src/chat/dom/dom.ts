type Attribute = string | number | boolean | undefined | ((event: Event) => void);
type Attributes = Readonly<Record<string, Attribute>>;
type Child = Node | string | false | undefined;

/** Makes an HTML element. Attributes that are false or undefined are left out; `onclick` and its kin are listeners. */
export function html<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  return fill(document.createElement(tag), attributes, children);
}

/** Makes an SVG element, by the same rules. */
function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** A small drawing on a field of 16 by 16. */
export function icon(path: string): SVGSVGElement {
  return svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, svg("path", { d: path }));
}

/** Replaces a container's children. */
export function show(container: Element, ...children: readonly Child[]): void {
  container.replaceChildren(...children.filter(isShown));
}

function fill<Kind extends Element>(made: Kind, attributes: Attributes, children: readonly Child[]): Kind {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.replace(/^on/, ""), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter(isShown));
  return made;
}

function isShown(child: Child): child is Node | string {
  return child !== undefined && child !== false;
}
