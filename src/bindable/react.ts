import { useState } from "react";
import type { RefCallback } from "react";
import { bindElement } from "./bind-element.ts";

/** For `ref`; `current` is the element, as long as it is there. */
export type WcBindableRef<Target extends Element> = RefCallback<Target> & { readonly current: Target | null };

/** The values of a bindable element, and the ref that it is to be given. Each update renders. */
export function useWcBindable<Target extends Element = HTMLElement, Values extends object = Record<string, unknown>>(
  initial?: Partial<Values>,
): [ref: WcBindableRef<Target>, values: Values] {
  const [values, setValues] = useState({ ...initial } as Values);
  const [ref] = useState(() =>
    createRef<Target>((name, value) => setValues((before) => ({ ...before, [name]: value }))),
  );
  return [ref, values];
}

function createRef<Target extends Element>(onUpdate: (name: string, value: unknown) => void): WcBindableRef<Target> {
  let unbind = () => {};
  const ref = Object.assign(
    (element: Target | null) => {
      unbind();
      ref.current = element;
      unbind = element === null ? () => {} : bindElement(element, onUpdate);
    },
    { current: null as Target | null },
  );
  return ref;
}
