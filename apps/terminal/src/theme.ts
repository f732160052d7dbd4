import { html, icon, icons } from "./dom.ts";
import type { Kept } from "./storage.ts";

type Theme = "light" | "dark";

/** The switch between light and dark; the hub's home page has the same, and both remember one choice. */
export function createThemeButton(kept: Kept, onTheme: (theme: Theme) => void): HTMLButtonElement {
  const button = html("button", { type: "button", class: "button quiet square" });
  const system = matchMedia("(prefers-color-scheme: dark)");

  function chosen(): Theme | undefined {
    const saved = kept.read();
    return saved === "light" || saved === "dark" ? saved : undefined;
  }

  function draw(): void {
    const theme = chosen();
    if (theme !== undefined) document.documentElement.dataset["theme"] = theme;
    const now = theme ?? (system.matches ? "dark" : "light");
    const other = now === "dark" ? "light" : "dark";
    button.replaceChildren(icon(other === "dark" ? icons.moon : icons.sun));
    button.ariaLabel = button.title = `Switch to the ${other} theme`;
    button.onclick = () => {
      kept.write(other);
      draw();
    };
    onTheme(now);
  }

  system.addEventListener("change", draw);
  draw();
  return button;
}
