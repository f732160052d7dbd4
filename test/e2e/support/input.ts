// Real input events: the browser itself creates them, so pages see trusted events and user activation.
import { SessionEndedError } from "./cdp.ts";
import type { CdpSession } from "./cdp.ts";

/** A position in the viewport, in CSS pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

const modifierBits: Record<string, number> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };

const namedKeys: Record<string, { code: number; text?: string }> = {
  Backspace: { code: 8 },
  Tab: { code: 9 },
  Enter: { code: 13, text: "\r" },
  Escape: { code: 27 },
  PageUp: { code: 33 },
  PageDown: { code: 34 },
  End: { code: 35 },
  Home: { code: 36 },
  ArrowLeft: { code: 37 },
  ArrowUp: { code: 38 },
  ArrowRight: { code: 39 },
  ArrowDown: { code: 40 },
  Delete: { code: 46 },
};

/**
 * An expression for the centre of the selected element, scrolled into view, or null while it cannot be clicked.
 * ` >>> ` in the selector enters a shadow root.
 */
export function locateExpression(selector: string): string {
  return `(() => {
    const element = ${findExpression(selector)};
    if (element === null || element.disabled === true) return null;
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : null;
  })()`;
}

/**
 * An expression that lets the next press of the mouse through only to the selected element. A page may still move it
 * away, and what is then under the pointer must not get the click. `aimed` says how it went.
 */
export function aimExpression(selector: string): string {
  return `(() => {
    const element = ${findExpression(selector)};
    const types = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
    let hit;
    const look = (event) => {
      hit ??= event.composedPath().includes(element);
      if (hit) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    for (const type of types) addEventListener(type, look, true);
    globalThis[Symbol.for("aim")] = () => {
      for (const type of types) removeEventListener(type, look, true);
      return hit !== false;
    };
  })()`;
}

/** An expression for whether the press reached its element; true also in the page that the press led to. */
export const aimed = 'globalThis[Symbol.for("aim")]?.() ?? true';

function findExpression(selector: string): string {
  return `${JSON.stringify(selector.split(" >>> "))}.reduce(
    (within, part, index) => (index === 0 ? within : within?.shadowRoot)?.querySelector(part) ?? null, document)`;
}

/** Moves the mouse there, presses and releases it. */
export async function clickAt(session: Pick<CdpSession, "send">, { x, y }: Point): Promise<void> {
  const at = { x, y, button: "left", clickCount: 1 };
  await session.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
  await session.send("Input.dispatchMouseEvent", { ...at, type: "mousePressed" });
  await perhapsLast(session.send("Input.dispatchMouseEvent", { ...at, type: "mouseReleased" }));
}

/** The end of a click or a key may close its tab before the browser reports it as handled. */
async function perhapsLast(sent: Promise<unknown>): Promise<void> {
  await sent.catch((error: unknown) => {
    if (!(error instanceof SessionEndedError)) throw error;
  });
}

/** Presses one key, named as in KeyboardEvent.key, with modifiers before it: `Enter`, `a`, `Shift+Tab`. */
export async function pressKey(session: CdpSession, combination: string): Promise<void> {
  const names = combination.split(/(?<=.)\+/);
  const key = names.pop() ?? "";
  const modifiers = names.reduce((bits, name) => bits | modifierBit(name), 0);
  const { code, text } = namedKeys[key] ?? characterKey(key);
  const event = { key, modifiers, windowsVirtualKeyCode: code };
  const typed = text === undefined || (modifiers & ~8) !== 0 ? {} : { text };
  await session.send("Input.dispatchKeyEvent", {
    type: "text" in typed ? "keyDown" : "rawKeyDown",
    ...event,
    ...typed,
  });
  await perhapsLast(session.send("Input.dispatchKeyEvent", { type: "keyUp", ...event }));
}

function modifierBit(name: string): number {
  const bit = modifierBits[name];
  if (bit === undefined) throw new Error(`"${name}" is no modifier key; use ${Object.keys(modifierBits).join(", ")}.`);
  return bit;
}

function characterKey(key: string): { code: number; text: string } {
  if (key.length !== 1)
    throw new Error(`"${key}" is no key; use one character or ${Object.keys(namedKeys).join(", ")}.`);
  return { code: key.toUpperCase().codePointAt(0) ?? 0, text: key };
}
