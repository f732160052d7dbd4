import { partColours, themes } from "../screen/themes.ts";
import { xtermStyles } from "../screen/xterm-styles.ts";

let sheet: CSSStyleSheet | undefined;

/** A view's stylesheet. Constructed sheets are exempt from the page's Content-Security-Policy. */
export function viewStyles(): CSSStyleSheet {
  if (sheet) return sheet;
  sheet = new CSSStyleSheet();
  sheet.replaceSync(
    `${xtermStyles}${coloursOf("light")}${coloursOf("dark")}${dimColoursOf("light")}${dimColoursOf("dark")}${layout}${motion}`,
  );
  return sheet;
}

function coloursOf(theme: keyof typeof partColours): string {
  const named = Object.entries(partColours[theme]).map(([name, colour]) => `--${name}: ${colour};`);
  return `.view[data-theme="${theme}"] { color-scheme: ${theme}; ${named.join(" ")} }`;
}

/** xterm draws dim text at half opacity, too faint to read: here it is muted instead, but keeps its colour. */
function dimColoursOf(theme: keyof typeof themes): string {
  const onGround = `.view[data-theme="${theme}"] .xterm-dim:not([class*="xterm-bg-"], [style*="color"])`;
  const colours = ansiColours.map(
    (name, at) => `${onGround}.xterm-fg-${at} { color: ${themes[theme][name]} !important; }`,
  );
  return `${onGround}:not([class*="xterm-fg-"]) { color: var(--muted) !important; } ${colours.join(" ")}`;
}

/** By their numbers. */
const ansiColours = [
  ...(["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const),
  ...(["brightBlack", "brightRed", "brightGreen", "brightYellow"] as const),
  ...(["brightBlue", "brightMagenta", "brightCyan", "brightWhite"] as const),
] as const;

const layout = `
  :host { display: block; position: relative; width: 100%; height: 100%; min-height: 120px; }
  :host([hidden]) { display: none; }
  [hidden] { display: none !important; }
  *, *::before, *::after { box-sizing: border-box; }
  .view {
    position: absolute; inset: 0; overflow: hidden; background: var(--ground); color: var(--text);
    font: 400 14px/1.5 "Segoe UI Variable Text", "Segoe UI", -apple-system, "Helvetica Neue", Roboto, "Liberation Sans", Arial, system-ui, sans-serif; text-align: start;
  }
  .screen { position: absolute; inset: 0; z-index: 0; padding: 8px 0 4px 10px; }
  /* What was sized for another view may be larger than this one. */
  .holder { width: 100%; height: 100%; overflow: auto; }
  .is-covered .screen { opacity: 0; }
  .is-away .holder { opacity: 0.62; }
  p, h2 { margin: 0; }
  h2 { font-size: 18px; line-height: 1.3; }
  button, input { font: inherit; color: inherit; }
  button {
    min-height: 34px; padding: 4px 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--surface);
    font-weight: 550; cursor: pointer;
  }
  button:hover { background: var(--raised); }
  .strong { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
  .strong:hover { background: color-mix(in oklab, var(--accent) 88%, var(--text)); }
  input { min-width: 0; min-height: 34px; padding: 4px 10px; border: 1px solid var(--muted); border-radius: 8px; background: var(--surface); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  .xterm textarea:focus-visible { outline: none; }
  code { font: 13px/1.5 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace; overflow-wrap: anywhere; }
  .row { display: flex; flex-wrap: wrap; gap: 8px; }
  .row input { flex: 1; }
  .panel { position: absolute; inset: 0; z-index: 10; display: grid; align-items: safe center; justify-items: center; padding: 16px; overflow: auto; pointer-events: none; }
  .card { display: grid; pointer-events: auto; gap: 12px; width: min(440px, 100%); justify-items: start; overflow-wrap: anywhere; }
  .card .row, .card .command { width: 100%; }
  .quiet { color: var(--muted); }
  .problem { color: var(--danger); }
  .problem:empty { display: none; }
  .command {
    display: flex; align-items: center; justify-content: space-between; gap: 8px; padding: 4px 4px 4px 12px;
    border: 1px solid var(--line); border-radius: 8px; background: var(--raised);
  }
  .command button { min-height: 30px; flex: none; }
  .banner, .note, .search { border: 1px solid var(--line); border-radius: 10px; background: var(--surface); box-shadow: 0 6px 24px rgb(0 0 0 / 0.22); }
  .banner {
    position: absolute; right: 12px; bottom: 12px; left: 12px; display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px;
    max-width: 720px; margin: 0 auto; padding: 10px 12px; z-index: 20;
  }
  .banner p { flex: 1 1 220px; }
  .banner p:empty, .banner .row:not(:has(button:not([hidden]))) { display: none; }
  .notes { position: absolute; top: 8px; right: 16px; left: 16px; display: grid; justify-items: end; gap: 8px; pointer-events: none; z-index: 21; }
  .note { display: grid; gap: 8px; max-width: min(420px, 100%); padding: 8px 12px; font-size: 13px; overflow-wrap: anywhere; pointer-events: auto; }
  .note p { max-height: 7.5em; overflow: auto; white-space: pre-line; }
  .note a { display: inline-flex; align-items: center; min-height: 34px; padding: 4px 12px; border-radius: 8px; font-weight: 550; text-decoration: none; }
  .search {
    position: absolute; top: 8px; right: 16px; display: flex; flex-wrap: wrap; align-items: center; gap: 6px;
    max-width: calc(100% - 24px); padding: 6px; z-index: 22;
  }
  .search input { flex: 1 1 130px; width: 180px; }
  .search button { width: 36px; padding: 0; }
  .search + .notes { top: 62px; }
  .search[hidden] + .notes { top: 8px; }
  .count { min-width: 64px; color: var(--muted); font-size: 13px; font-variant-numeric: tabular-nums; }
  .view:has(.xterm.focus)::after { content: ""; position: absolute; inset: 0; border: 1px solid var(--accent); opacity: 0.55; pointer-events: none; z-index: 15; }
  .xterm .xterm-viewport { background: none; }
  @media (pointer: coarse) { button, input, .note a { min-height: 44px; } input { font-size: 16px; } }
`;

const motion = `
  @media (prefers-reduced-motion: reduce) { *, *::before, *::after { transition: none !important; animation: none !important; } }
`;
