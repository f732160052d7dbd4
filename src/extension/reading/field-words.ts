import { attribute, elementById, hasAttribute, isEdited, kindOf, nameOf } from "./dom.ts";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const buttons = new Set(["submit", "button", "reset", "image"]);
const mostOptions = 20;
const longestLabel = 200;
/** A label's parts that are looked at. */
const mostParts = 50;

/** A field as its label and its kind; never with its value, which may be what a person typed. */
export function fieldWords(field: Field): string | undefined {
  const name = nameOf(field);
  const type = name === "input" ? (field as HTMLInputElement).type : name;
  if (type === "hidden") return undefined;
  if (buttons.has(type)) {
    const words = attribute(field, "value") || attribute(field, "alt") || labelOf(field) || type;
    return `[button: ${words}]`;
  }
  const kind =
    name === "select" ? choices(field as HTMLSelectElement) : type === "textarea" ? "text, several lines" : type;
  return fieldText(labelOf(field), field.required ? `${kind}, required` : kind);
}

/** An element whose content the person edits. */
export function editorWords(element: HTMLElement): string {
  return fieldText(labelOf(element), "text editor");
}

function fieldText(label: string, kind: string): string {
  return label ? `[field: ${label} (${kind})]` : `[field (${kind})]`;
}

function choices({ options, multiple }: HTMLSelectElement): string {
  const { length } = options;
  const words = Array.from({ length: Math.min(length, mostOptions) }, (_, at) =>
    (options[at]?.label ?? "").slice(0, longestLabel).replace(/\s+/g, " ").trim(),
  ).filter((word) => word !== "");
  const more = length > mostOptions ? `, … ${length - mostOptions} more` : "";
  return `${multiple ? "several" : "one"} of: ${words.join(", ")}${more}`;
}

/** The words that name an element for its reader. */
export function labelOf(element: HTMLElement): string {
  const ids = attribute(element, "aria-labelledby").split(" ").filter(Boolean).slice(0, 4);
  const named = ids.map((id) => textOf(elementById(element, id))).join(" ");
  const labels = "labels" in element ? (element as Field).labels : null;
  return (
    attribute(element, "aria-label", longestLabel) ||
    named.trim() ||
    textOf(labels?.[0]) ||
    attribute(element, "placeholder", longestLabel) ||
    attribute(element, "title", longestLabel) ||
    (hasAttribute(element, "contenteditable") ? "" : attribute(element, "name", longestLabel))
  );
}

/** The text of a label without that of the fields in it. */
function textOf(label: Element | null | undefined): string {
  if (!label || isEdited(label)) return "";
  const walker = document.createTreeWalker(label, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    /^(select|textarea|button|script|style|template)$/i.test(node.nodeName) ||
    (kindOf(node) === Node.ELEMENT_NODE && hasAttribute(node as Element, "contenteditable"))
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT,
  );
  let text = "";
  for (let parts = 0; parts < mostParts && text.length < longestLabel && walker.nextNode(); parts++) {
    const { currentNode } = walker;
    if (kindOf(currentNode) === Node.TEXT_NODE) text += (currentNode as Text).data.slice(0, longestLabel);
  }
  return text.replace(/\s+/g, " ").trim().slice(0, longestLabel);
}
