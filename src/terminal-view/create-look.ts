import type { Screen } from "./screen/create-screen.ts";
import type { TerminalTheme } from "./session/terminal-view.ts";

/** A view's theme and font size. */
export interface Look {
  readonly theme: "light" | "dark";
  readonly fontSize: number;
  setTheme(theme: TerminalTheme): void;
  setFontSize(pixels: number): void;
  /** One pixel larger or smaller; 0 resets to the app's size. The browser remembers it. */
  stepFontSize(step: 1 | -1 | 0): void;
  close(): void;
}

export interface LookOptions {
  readonly theme: TerminalTheme;
  readonly fontSize: number;
}

/** With the theme "auto" it uses the system's. */
export function createLook(view: HTMLElement, options: LookOptions, screen: () => Screen | undefined): Look {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const { fontSize: usual } = options;
  let { theme: chosen } = options;
  let fontSize = readFontSize() ?? usual;

  const theme = (): "light" | "dark" => (chosen !== "auto" ? chosen : system.matches ? "dark" : "light");

  function drawTheme(): void {
    view.dataset["theme"] = theme();
    screen()?.setTheme(theme());
  }

  function setFontSize(pixels: number): void {
    fontSize = fitFontSize(pixels);
    screen()?.setFontSize(fontSize);
  }

  system.addEventListener("change", drawTheme);
  drawTheme();
  return {
    get theme() {
      return theme();
    },
    get fontSize() {
      return fontSize;
    },
    setTheme(next) {
      chosen = next;
      drawTheme();
    },
    setFontSize,
    stepFontSize(step) {
      setFontSize(step === 0 ? usual : fontSize + step);
      storeFontSize(step === 0 ? undefined : fontSize);
    },
    close: () => system.removeEventListener("change", drawTheme),
  };
}

const fontSizeKey = "pagewire.terminal-font-size";
const [minFontSize, maxFontSize] = [8, 32];

/** Clamps a font size to a readable range. */
export function fitFontSize(pixels: number): number {
  return Math.min(maxFontSize, Math.max(minFontSize, Math.round(pixels)));
}

/** The font size stored in this browser, if any. */
function readFontSize(): number | undefined {
  try {
    const stored = Number(localStorage.getItem(fontSizeKey) ?? Number.NaN);
    return Number.isFinite(stored) ? fitFontSize(stored) : undefined;
  } catch {
    return undefined;
  }
}

/** Stores a font size; with undefined, removes it. */
function storeFontSize(pixels: number | undefined): void {
  try {
    if (pixels === undefined) localStorage.removeItem(fontSizeKey);
    else localStorage.setItem(fontSizeKey, String(pixels));
  } catch {
    // Without storage, the next visit starts with the default.
  }
}
