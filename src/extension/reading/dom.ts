// A form's fields and a document's elements hide its properties of the same name: `<input name="firstChild">`. Those of the
// prototypes cannot be hidden.

export const firstOf = (node: Node): Node | null => read(Node.prototype, "firstChild", node);
export const nextOf = (node: Node): Node | null => read(Node.prototype, "nextSibling", node);
export const kindOf = (node: Node): number => read(Node.prototype, "nodeType", node);
export const nameOf = (element: Element): string => read(Element.prototype, "localName", element);
export const spaceOf = (element: Element): string | null => read(Element.prototype, "namespaceURI", element);
export const shadowOf = (element: Element): ShadowRoot | null => read(Element.prototype, "shadowRoot", element);
export const boxOf = (element: Element): DOMRect => Element.prototype.getBoundingClientRect.call(element);

/** An attribute without the spaces around it, and no longer than this. */
export function attribute(element: Element, name: string, most = longestAttribute): string {
  return (Element.prototype.getAttribute.call(element, name) ?? "").slice(0, most).replace(/\s+/g, " ").trim();
}

export const hasAttribute = (element: Element, name: string): boolean =>
  Element.prototype.hasAttribute.call(element, name);

/** The element where a document's text begins. */
export function bodyOf(document: Document): Element | null {
  return read(Document.prototype, "body", document) ?? read(Document.prototype, "documentElement", document);
}

export const titleOf = (document: Document): string => read(Document.prototype, "title", document);
export const addressOf = (document: Document): string => read(Document.prototype, "URL", document);
export const baseOf = (node: Node): string => read(Node.prototype, "baseURI", node);

/** The document of a frame of the same origin, unless the person edits it. */
export function documentOf(frame: HTMLIFrameElement): Document | null {
  try {
    const { contentDocument, contentWindow } = frame;
    if (!contentDocument || contentWindow?.origin !== self.origin) return null;
    return isDesigned(contentDocument) ? null : contentDocument;
  } catch {
    return null;
  }
}

/** Whether the person edits the whole document, whose text is theirs then. */
export const isDesigned = (document: Document): boolean => read(Document.prototype, "designMode", document) === "on";

/** Whether an element's text is a person's: it is a field, or in something that they edit. */
export const isEdited = (element: Element): boolean =>
  Element.prototype.closest.call(element, "textarea, [contenteditable]:not([contenteditable='false'])") !== null;

export function elementById(near: Element, id: string): Element | null {
  const root = Node.prototype.getRootNode.call(near);
  if (kindOf(root) === Node.DOCUMENT_NODE) return Document.prototype.getElementById.call(root as Document, id);
  return kindOf(root) === Node.DOCUMENT_FRAGMENT_NODE ? (root as DocumentFragment).getElementById(id) : null;
}

const longestAttribute = 300;

function read<Owner extends object, Name extends keyof Owner>(prototype: Owner, name: Name, owner: Owner): Owner[Name] {
  return Reflect.get(prototype, name, owner) as Owner[Name];
}
