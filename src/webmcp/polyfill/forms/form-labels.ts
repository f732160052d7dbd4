/** What is said of a parameter: of one control by itself or its labels, of several by the fieldset that holds them. */
export function parameterDescription(controls: readonly HTMLElement[]): string | null | undefined {
  const [control, ...others] = controls;
  if (!control) return undefined;
  if (others.length === 0) {
    return (
      control.getAttribute("toolparamdescription") || labelText(control) || control.getAttribute("aria-description")
    );
  }
  const [fieldset, ...more] = new Set(controls.map((each) => each.closest("fieldset")));
  return more.length === 0 ? fieldset?.getAttribute("toolparamdescription") : undefined;
}

/** The text of a control's labels, without that of the controls in them. */
export function labelText(control: HTMLElement): string {
  const { labels } = control as HTMLInputElement;
  return Array.from(labels ?? [], (label) => textIn(label).trim()).join("; ");
}

function textIn(node: Node): string {
  if (node instanceof Text) return node.data;
  if (node instanceof Element && node.matches("button, input, meter, output, progress, select, textarea")) return "";
  return Array.from(node.childNodes, textIn).join("");
}
