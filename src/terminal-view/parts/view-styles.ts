import { partColours, themes } from "../screen/themes.ts";

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

/**
 * The rules of xterm.css, without its comments: a shadow root cannot load them without a bundler.
 * Copyright (c) 2014 The xterm.js authors and (c) 2012-2013 Christopher Jeffrey, under the MIT license.
 */
export const xtermStyles = `
  .xterm { cursor: text; position: relative; user-select: none; -ms-user-select: none; -webkit-user-select: none; }
  .xterm.focus, .xterm:focus { outline: none; }
  .xterm .xterm-helpers { position: absolute; top: 0; z-index: 5; }
  .xterm .xterm-helper-textarea { padding: 0; border: 0; margin: 0; position: absolute; opacity: 0; left: -9999em; top: 0; width: 0; height: 0; z-index: -5; white-space: nowrap; overflow: hidden; resize: none; }
  .xterm .composition-view { background: #000; color: #FFF; display: none; position: absolute; white-space: nowrap; z-index: 1; }
  .xterm .composition-view.active { display: block; }
  .xterm .xterm-viewport { background-color: #000; overflow-y: scroll; cursor: default; position: absolute; right: 0; left: 0; top: 0; bottom: 0; }
  .xterm .xterm-screen { position: relative; }
  .xterm .xterm-screen canvas { position: absolute; left: 0; top: 0; }
  .xterm-char-measure-element { display: inline-block; visibility: hidden; position: absolute; top: 0; left: -9999em; line-height: normal; }
  .xterm.enable-mouse-events { cursor: default; }
  .xterm.xterm-cursor-pointer, .xterm .xterm-cursor-pointer { cursor: pointer; }
  .xterm.column-select.focus { cursor: crosshair; }
  .xterm .xterm-accessibility:not(.debug), .xterm .xterm-message { position: absolute; left: 0; top: 0; bottom: 0; right: 0; z-index: 10; color: transparent; pointer-events: none; }
  .xterm .xterm-accessibility-tree:not(.debug) *::selection { color: transparent; }
  .xterm .xterm-accessibility-tree { font-family: monospace; user-select: text; white-space: pre; }
  .xterm .xterm-accessibility-tree > div { transform-origin: left; width: fit-content; }
  .xterm .live-region { position: absolute; left: -9999px; width: 1px; height: 1px; overflow: hidden; }
  .xterm-dim { opacity: 1 !important; }
  .xterm-underline-1 { text-decoration: underline; }
  .xterm-underline-2 { text-decoration: double underline; }
  .xterm-underline-3 { text-decoration: wavy underline; }
  .xterm-underline-4 { text-decoration: dotted underline; }
  .xterm-underline-5 { text-decoration: dashed underline; }
  .xterm-overline { text-decoration: overline; }
  .xterm-overline.xterm-underline-1 { text-decoration: overline underline; }
  .xterm-overline.xterm-underline-2 { text-decoration: overline double underline; }
  .xterm-overline.xterm-underline-3 { text-decoration: overline wavy underline; }
  .xterm-overline.xterm-underline-4 { text-decoration: overline dotted underline; }
  .xterm-overline.xterm-underline-5 { text-decoration: overline dashed underline; }
  .xterm-strikethrough { text-decoration: line-through; }
  .xterm-screen .xterm-decoration-container .xterm-decoration { z-index: 6; position: absolute; }
  .xterm-screen .xterm-decoration-container .xterm-decoration.xterm-decoration-top-layer { z-index: 7; }
  .xterm-decoration-overview-ruler { z-index: 8; position: absolute; top: 0; right: 0; pointer-events: none; }
  .xterm-decoration-top { z-index: 2; position: relative; }
  .xterm .xterm-scrollable-element > .scrollbar { cursor: default; }
  .xterm .xterm-scrollable-element > .scrollbar > .scra { cursor: pointer; font-size: 11px !important; }
  .xterm .xterm-scrollable-element > .visible { opacity: 1; background: rgba(0,0,0,0); transition: opacity 100ms linear; z-index: 11; }
  .xterm .xterm-scrollable-element > .invisible { opacity: 0; pointer-events: none; }
  .xterm .xterm-scrollable-element > .invisible.fade { transition: opacity 800ms linear; }
  .xterm .xterm-scrollable-element > .shadow { position: absolute; display: none; }
  .xterm .xterm-scrollable-element > .shadow.top { display: block; top: 0; left: 3px; height: 3px; width: 100%; box-shadow: var(--vscode-scrollbar-shadow, #000) 0 6px 6px -6px inset; }
  .xterm .xterm-scrollable-element > .shadow.left { display: block; top: 3px; left: 0; height: 100%; width: 3px; box-shadow: var(--vscode-scrollbar-shadow, #000) 6px 0 6px -6px inset; }
  .xterm .xterm-scrollable-element > .shadow.top-left-corner { display: block; top: 0; left: 0; height: 3px; width: 3px; }
  .xterm .xterm-scrollable-element > .shadow.top.left { box-shadow: var(--vscode-scrollbar-shadow, #000) 6px 0 6px -6px inset; }
`;
