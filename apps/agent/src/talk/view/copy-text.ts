import { html } from "../../../../common/src/dom.ts";

/** Puts a text on the clipboard. Resolves with whether it is there. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Pages that are not secure contexts have no other clipboard. */
function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const field = html("textarea", { class: "visually-hidden", "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isDone;
}
