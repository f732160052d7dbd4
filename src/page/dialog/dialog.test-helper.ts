// A page whose script got hold of the dialog's shadow root, as a hostile one could.
import { afterEach, beforeEach, vi } from "vitest";

const { attachShadow } = Element.prototype;

/** Opens every shadow root of a test, and closes what a test left open. */
export function openShadowRoots(): void {
  beforeEach(() => {
    vi.spyOn(Element.prototype, "attachShadow").mockImplementation(function (this: Element, init) {
      return attachShadow.call(this, { ...init, mode: "open" });
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const host of hosts()) host.shadowRoot?.querySelector("dialog")?.close();
    await vi.waitUntil(() => hosts().length === 0);
  });
}

/** The elements that hold a dialog now. */
export function hosts(): readonly Element[] {
  return [...document.querySelectorAll("pagewire-dialog")];
}

/** The dialog that is open, once it is. */
export function shown(): Promise<HTMLDialogElement> {
  return vi.waitFor(() => {
    const dialog = hosts()[0]?.shadowRoot?.querySelector("dialog");
    if (!dialog) throw new Error("No dialog is open.");
    return dialog;
  });
}

/** The one element of a dialog that a selector finds. */
export function part<Kind extends HTMLElement>(dialog: HTMLElement, selector: string): Kind {
  const found = dialog.querySelector<Kind>(selector);
  if (!found) throw new Error(`The dialog has no ${selector}.`);
  return found;
}
