import { onScopeDispose, shallowReactive, shallowRef } from "vue";
import type { ComponentPublicInstance, ShallowRef } from "vue";
import { bindElement } from "./bind-element.ts";

export interface WcBindableOfVue<Target extends Element, Values extends object> {
  /** For `:ref`. */
  readonly ref: (element: Element | ComponentPublicInstance | Target | null) => void;
  readonly values: Values;
  readonly element: Readonly<ShallowRef<Target | null>>;
}

export function useWcBindable<Target extends Element = HTMLElement, Values extends object = Record<string, unknown>>(
  initial?: Partial<Values>,
): WcBindableOfVue<Target, Values> {
  const values = shallowReactive<Record<string, unknown>>({ ...initial });
  const element = shallowRef(null) as ShallowRef<Target | null>;
  let unbind = () => {};

  // Vue calls a ref again at every render.
  function follow(next: Target | null): void {
    if (next === element.value) return;
    unbind();
    element.value = next;
    unbind = next === null ? () => {} : bindElement(next, (name, value) => void (values[name] = value));
  }

  onScopeDispose(() => follow(null));
  return {
    ref: (given) => follow((given !== null && "$el" in given ? given.$el : given) as Target | null),
    values: values as Values,
    element,
  };
}
