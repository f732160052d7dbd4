// A page whose script got hold of the dialog's shadow root, as a hostile one could.
import { afterEach, beforeEach, vi } from "vitest";

const { attachShadow } = Element.prototype;

/**
 * Opens every shadow root during a test, and closes open dialogs after it. `vi.waitUntil` and `vi.waitFor` advance the
 * timers.
 */
export function openShadowRoots(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    vi.spyOn(Element.prototype, "attachShadow").mockImplementation(function (this: Element, init) {
      return attachShadow.call(this, { ...init, mode: "open" });
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const host of hosts()) host.shadowRoot?.querySelector("dialog")?.close();
    await vi.waitUntil(() => hosts().length === 0);
    vi.useRealTimers();
  });
}

/** The elements that hold a dialog now. */
export function hosts(): readonly Element[] {
  return [...document.querySelectorAll("pagewire-dialog")];
}

/** A dialog can be answered when no key was pressed for so long. */
const quietTime = 500;

/** The dialog that is open, once it can be answered. */
export async function shown(): Promise<HTMLDialogElement> {
  await dialogIn("");
  vi.advanceTimersByTime(quietTime);
  return dialogIn("[ready]");
}

/** The dialog that is open, as soon as it is. */
export function justShown(): Promise<HTMLDialogElement> {
  return dialogIn(":not([ready])");
}

function dialogIn(state: string): Promise<HTMLDialogElement> {
  return vi.waitFor(
    () => {
      const [dialog] = hosts().flatMap((host) =>
        host.matches(`pagewire-dialog${state}`) ? [host.shadowRoot?.querySelector("dialog")] : [],
      );
      if (!dialog) throw new Error("No dialog is open.");
      return dialog;
    },
    { interval: 25 },
  );
}

/** The one element of a dialog that a selector finds. */
export function part<Kind extends HTMLElement>(dialog: HTMLElement, selector: string): Kind {
  const found = dialog.querySelector<Kind>(selector);
  if (!found) throw new Error(`The dialog has no ${selector}.`);
  return found;
}
