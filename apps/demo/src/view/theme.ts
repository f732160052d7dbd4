import type { BrowserStorage } from "../state/browser-storage.ts";
import { byId, icon, show } from "./dom.ts";
import { icons } from "./icons.ts";

type Theme = "light" | "dark";

/** The switch between light and dark. Until someone uses it the page follows the system. */
export function mountTheme(storage: BrowserStorage): void {
  const button = byId("theme", HTMLButtonElement);
  const system = matchMedia("(prefers-color-scheme: dark)");
  const saved = storage.read("theme");
  let chosen: Theme | undefined = saved === "light" || saved === "dark" ? saved : undefined;

  const current = (): Theme => chosen ?? (system.matches ? "dark" : "light");
  function draw(): void {
    if (chosen !== undefined) document.documentElement.dataset.theme = chosen;
    const isDark = current() === "dark";
    show(button, icon(isDark ? icons.sun : icons.moon), isDark ? "Light" : "Dark");
    button.setAttribute("aria-label", isDark ? "Switch to the light theme" : "Switch to the dark theme");
  }

  button.addEventListener("click", () => {
    chosen = current() === "dark" ? "light" : "dark";
    storage.write("theme", chosen);
    draw();
  });
  system.addEventListener("change", draw);
  draw();
}
