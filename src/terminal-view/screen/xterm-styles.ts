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
