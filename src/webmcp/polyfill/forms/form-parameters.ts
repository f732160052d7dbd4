// A form's parameters by name. Several radio buttons or checkboxes may share a name; for other controls a shared name
// would be ambiguous.

export type Parameter =
  | { readonly kind: "text"; readonly controls: readonly (HTMLInputElement | HTMLTextAreaElement)[] }
  | { readonly kind: "select"; readonly controls: readonly HTMLSelectElement[] }
  | { readonly kind: "check" | "checks" | "radio"; readonly controls: readonly HTMLInputElement[] }
  | { readonly kind: "none"; readonly controls: readonly Element[] };

type Kind = Parameter["kind"];

/** The parameters of a form, in order, without disabled and read-only ones. */
export function formParameters(form: HTMLFormElement): Map<string, Parameter> {
  const byName = new Map<string, Element[]>();
  for (const element of formElements(form)) {
    if (element.matches(":disabled") || isReadOnly(element)) continue;
    const name = element.getAttribute("name") ?? "";
    byName.set(name, [...(byName.get(name) ?? []), element]);
  }
  const parameter = (controls: Element[]) => ({ kind: kindOf(controls), controls }) as Parameter;
  return new Map(Array.from(byName, ([name, controls]) => [name, parameter(controls)]));
}

/** A form's elements, even if one of them is named "elements". */
export function formElements(form: HTMLFormElement): Element[] {
  return [...(Reflect.get(HTMLFormElement.prototype, "elements", form) as Iterable<Element>)];
}

function kindOf(controls: readonly Element[]): Kind {
  const [first = "none", ...others] = new Set(controls.map(kindOfOne));
  if (others.length > 0) return "none";
  if (controls.length === 1 || first === "radio") return first;
  return first === "check" ? "checks" : "none";
}

function kindOfOne(element: Element): Kind {
  if (element.matches("select")) return "select";
  if (element.matches("textarea")) return "text";
  if (!element.matches("input")) return "none";
  const { type } = element as HTMLInputElement;
  if (type === "radio") return "radio";
  if (type === "checkbox") return "check";
  return /^(hidden|file|submit|image|reset|button)$/.test(type) ? "none" : "text";
}

function isReadOnly(element: Element): boolean {
  const { readOnly, type } = element as HTMLInputElement;
  return readOnly && !/^(checkbox|radio|range|color)$/.test(type);
}
