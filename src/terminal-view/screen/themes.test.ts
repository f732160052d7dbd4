import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { partColours, themes } from "./themes.ts";
import { xtermStyles } from "../parts/view-styles.ts";

/** The definition of WCAG 2.2. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const textColours = ["foreground", "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;
const brightColours = ["Black", "Red", "Green", "Yellow", "Blue", "Magenta", "Cyan", "White"] as const;

test.each(["light", "dark"] as const)("each colour of the %s theme can be read on its ground", (name) => {
  const theme = themes[name];
  const names = [...textColours, ...brightColours.map((colour) => `bright${colour}` as const)];
  const poor = names.filter((colour) => contrast(String(theme[colour]), theme.background) < 4.5);
  expect(poor).toEqual([]);
  for (const ground of [theme.selectionBackground, theme.selectionInactiveBackground])
    expect(contrast(theme.foreground, String(ground))).toBeGreaterThan(4.5);
});

test.each(["light", "dark"] as const)("so can the words of the view's own parts in the %s theme", (name) => {
  const { ground, surface, raised, text, muted, accent, danger, "on-accent": onAccent } = partColours[name];
  for (const colour of [text, muted, danger, accent])
    for (const below of [ground, surface]) expect(contrast(colour, below)).toBeGreaterThan(4.5);
  expect(contrast(text, raised)).toBeGreaterThan(4.5);
  expect(contrast(onAccent, accent)).toBeGreaterThan(4.5);
  expect(themes[name].background).toBe(ground);
});

test("the rules of xterm are those of the installed version", () => {
  const own = readFileSync(new URL("../../../node_modules/@xterm/xterm/css/xterm.css", import.meta.url), "utf8");
  const bare = (css: string) =>
    css
      .replaceAll(/\/\*[^]*?\*\//g, "")
      .replaceAll(/;?\s*}/g, "}")
      .replaceAll(/\s+/g, "");
  expect(bare(xtermStyles)).toBe(bare(own));
});
