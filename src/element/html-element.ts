/** On a server there are no elements: there the classes can be imported and named, and no more. */
export const HtmlElement = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);
