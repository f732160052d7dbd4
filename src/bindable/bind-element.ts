import { bind } from "./bind.ts";
import { isWcBindable } from "./declaration.ts";

/** Binds to an element, also to one whose class is defined only later. */
export function bindElement(element: Element, onUpdate: (name: string, value: unknown) => void): () => void {
  if (isWcBindable(element) || !element.localName.includes("-")) return bind(element, onUpdate);
  let unbind: (() => void) | undefined = () => {};
  void customElements.whenDefined(element.localName).then(() => {
    if (unbind) unbind = bind(element, onUpdate);
  });
  return () => {
    unbind?.();
    unbind = undefined;
  };
}
