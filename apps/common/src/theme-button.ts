import { html, icon, show } from "./dom.ts";
import { icons } from "./icons.ts";
import type { SafeStorage } from "./safe-storage.ts";
import { chooseTheme, chosenTheme } from "./theme.ts";
import type { Theme } from "./theme.ts";

/** The switch between light and dark. All pages of the hub remember one choice. */
export function createThemeButton(
  storage: SafeStorage,
  onChoose: (theme: Theme) => void = () => {},
): HTMLButtonElement {
  const button = html("button", { type: "button", class: "button quiet square" });
  const system = matchMedia("(prefers-color-scheme: dark)");

  const other = (): Theme => {
    const current = chosenTheme(storage) ?? (system.matches ? "dark" : "light");
    return current === "dark" ? "light" : "dark";
  };
  function draw(): void {
    show(button, icon(other() === "dark" ? icons.moon : icons.sun));
    button.ariaLabel = button.title = `Switch to the ${other()} theme`;
  }

  button.addEventListener("click", () => {
    const chosen = other();
    chooseTheme(storage, chosen);
    draw();
    onChoose(chosen);
  });
  system.addEventListener("change", draw);
  draw();
  return button;
}
