import type { SafeStorage } from "./safe-storage.ts";

export type Theme = "light" | "dark";

const themeKey = "pagewire.theme";

/** The user's theme; until there is one, the page follows the system. */
export function chosenTheme(storage: SafeStorage): Theme | undefined {
  const saved = storage.read(themeKey);
  return saved === "light" || saved === "dark" ? saved : undefined;
}

export function chooseTheme(storage: SafeStorage, theme: Theme): void {
  storage.write(themeKey, theme);
  applyTheme(storage);
}

/** Shows the page in the theme that was chosen. */
export function applyTheme(storage: SafeStorage): void {
  const theme = chosenTheme(storage);
  if (theme !== undefined) document.documentElement.dataset["theme"] = theme;
}
