// Sets controls as a browser does, past what a page or its framework put on the element, and says so where something
// changed: a checked control says so in any case.

export function setValue(control: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement, value: string): void {
  const before = control.value;
  setProperty(control, "value", value);
  if (control.value !== before) say(control, "input", "change");
}

export function setChecked(control: HTMLInputElement, checked: boolean): void {
  const isChanged = control.checked !== checked;
  setProperty(control, "checked", checked);
  say(control, ...(isChanged ? ["input"] : []), "change");
}

/** Chooses the options with these values, and no others. */
export function setSelected(select: HTMLSelectElement, values: readonly unknown[]): void {
  const options = [...select.options].filter(({ value, selected }) => selected !== values.includes(value));
  for (const option of options) option.selected = !option.selected;
  if (options.length > 0) say(select, "input", "change");
}

/** React, for one, puts properties of its own on an element, and passes over events whose value was set by them. */
function setProperty(element: Element, property: string, value: unknown): void {
  Reflect.set(Object.getPrototypeOf(element) as object, property, value, element);
}

function say(control: Element, ...types: readonly string[]): void {
  for (const type of types) control.dispatchEvent(new Event(type, { bubbles: true, composed: type === "input" }));
}
