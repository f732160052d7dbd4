import { bindElement } from "./bind-element.ts";

export interface WcBindableParameters {
  readonly onUpdate: (name: string, value: unknown) => void;
}

/** The action `use:wcBindable={{ onUpdate }}` for a bindable element. */
export function wcBindable(
  element: Element,
  parameters: WcBindableParameters,
): { update(parameters: WcBindableParameters): void; destroy(): void } {
  let { onUpdate } = parameters;
  return {
    update(changed) {
      ({ onUpdate } = changed);
    },
    destroy: bindElement(element, (name, value) => onUpdate(name, value)),
  };
}
