let sheet: CSSStyleSheet | undefined;

/** The look of what only this dialog has. */
export function credentialStyles(): CSSStyleSheet {
  if (sheet) return sheet;
  sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    dl {
      margin: 1rem 0; display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 1rem; padding: 0.75rem; border-radius: 8px;
      background: color-mix(in srgb, CanvasText 7%, Canvas); font-size: 14px;
    }
    dt { opacity: 0.75; }
    dd { margin: 0; font-family: ui-monospace, monospace; font-size: 13px; line-height: 21px; max-height: 63px; overflow: auto; overflow-wrap: anywhere; white-space: pre-wrap; }
    .warning { margin-bottom: 0.5rem; padding: 0.6rem 0.75rem; border-left: 4px solid #d97706; border-radius: 4px; background: color-mix(in srgb, #d97706 14%, Canvas); }
    .password { display: grid; grid-template-columns: 1fr auto; gap: 0.5rem; margin: 0 0 1rem; }
    [for="password"] { margin-bottom: 0.25rem; }
    .remember { grid-template-columns: auto 1fr; gap: 0.1rem 0.6rem; align-items: start; }
    .remember span { font-weight: normal; }
    .remember input { margin: 0.15rem 0 0; }
    .remember small { display: block; }
  `);
  return sheet;
}
