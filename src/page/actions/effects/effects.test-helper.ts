// An effect whose pictures a test draws one by one, on a stage that it can look into.
import { afterEach, beforeEach, vi } from "vitest";

const { attachShadow } = Element.prototype;

/** Draws pictures, each so many milliseconds after the one before, until none is wanted any more. */
export type DrawFrames = (count: number) => void;

/** How long a picture stands. */
const frame = 50;

/** Opens the shadow roots of effects, and lets the test be what draws them. */
export function directEffects(): { readonly draw: DrawFrames } {
  let due = new Map<number, FrameRequestCallback>();
  let now = 0;
  let last = 0;
  beforeEach(() => {
    due = new Map();
    vi.spyOn(Element.prototype, "attachShadow").mockImplementation(function (this: Element, init) {
      return attachShadow.call(this, { ...init, mode: "open" });
    });
    vi.spyOn(window, "requestAnimationFrame").mockImplementation((callback) => {
      due.set(++last, callback);
      return last;
    });
    vi.spyOn(window, "cancelAnimationFrame").mockImplementation((id) => void due.delete(id));
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    for (const host of stages()) host.remove();
  });
  return {
    draw(count) {
      for (let index = 0; index < count && due.size > 0; index++) {
        now += frame;
        const callbacks = [...due.values()];
        due.clear();
        for (const callback of callbacks) callback(now);
      }
    },
  };
}

/** The stages that stand above the page now. */
export function stages(): readonly Element[] {
  return [...document.querySelectorAll("pagewire-effect")];
}

/** The one element of the one stage that a selector finds. */
export function onStage<Kind extends Element = HTMLElement>(selector: string): Kind {
  const found = stages()[0]?.shadowRoot?.querySelector<Kind>(selector);
  if (!found) throw new Error(`No stage has a ${selector}.`);
  return found;
}

/** How many points of the picture are painted. */
export function paintedPoints(): number {
  const canvas = onStage<HTMLCanvasElement>("canvas");
  const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
  return data.filter((value, index) => index % 4 === 3 && value > 0).length;
}

/** Makes this browser ask for less motion. */
export function wantStillness(): void {
  vi.stubGlobal("matchMedia", (query: string) => ({ matches: query === "(prefers-reduced-motion: reduce)" }));
}
