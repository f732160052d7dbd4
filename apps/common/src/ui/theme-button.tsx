import { useEffect, useState } from "preact/hooks";
import { icons } from "../icons.ts";
import type { SafeStorage } from "../safe-storage.ts";
import { chooseTheme, chosenTheme } from "../theme.ts";
import type { Theme } from "../theme.ts";
import { Button } from "./button.tsx";

/** The theme that is not shown, and what switches to it. All pages of an origin remember one choice. */
export function useOtherTheme(storage: SafeStorage): readonly [other: Theme, choose: () => void] {
  const [system] = useState(() => matchMedia("(prefers-color-scheme: dark)"));
  const [, draw] = useState(0);
  const follow = (): void => draw((before) => before + 1);
  useEffect(() => {
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  }, [system]);
  const other: Theme = (chosenTheme(storage) ?? (system.matches ? "dark" : "light")) === "dark" ? "light" : "dark";
  const choose = (): void => {
    chooseTheme(storage, other);
    follow();
  };
  return [other, choose];
}

export interface ThemeButtonProps {
  readonly storage: SafeStorage;
  readonly onChoose?: (theme: Theme) => void;
}

/** The switch between light and dark. */
export function ThemeButton({ storage, onChoose }: ThemeButtonProps) {
  const [other, choose] = useOtherTheme(storage);
  const click = (): void => {
    choose();
    onChoose?.(other);
  };
  const icon = other === "dark" ? icons.moon : icons.sun;
  return <Button kind="quiet" icon={icon} label={`Switch to the ${other} theme`} onClick={click} />;
}
