let sheet: CSSStyleSheet | undefined;

/** The look of what only this dialog has. */
export function deviceStyles(): CSSStyleSheet {
  if (sheet) return sheet;
  sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    .code { display: grid; grid-template-columns: 1fr auto; align-items: center; gap: 0.5rem; margin: 0 0 1rem; }
    output { padding: 0.5rem 0.75rem; border-radius: 8px; background: color-mix(in srgb, CanvasText 7%, Canvas); font: 600 1.5rem/1.3 ui-monospace, monospace; letter-spacing: 0.08em; text-align: center; overflow-wrap: anywhere; user-select: all; }
    a { display: block; padding: 0.55rem 1.1rem; border-radius: 8px; background: #2452d8; color: #fff; font-weight: 600; text-align: center; text-decoration: none; overflow-wrap: anywhere; }
    [role="timer"] { margin: 1rem 0 0; opacity: 0.75; font-variant-numeric: tabular-nums; }
    [role="timer"]:empty, [role="status"]:empty { display: none; }
  `);
  return sheet;
}
