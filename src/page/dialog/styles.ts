let sheet: CSSStyleSheet | undefined;

/** The dialog's look: the system's colours and font, so that it suits light and dark pages alike. */
export function dialogStyles(): CSSStyleSheet {
  if (sheet) return sheet;
  sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { all: initial; }
    dialog {
      color-scheme: light dark; box-sizing: border-box; width: min(30rem, calc(100vw - 2rem)); max-height: calc(100vh - 2rem);
      padding: 1.5rem; border: 1px solid color-mix(in srgb, CanvasText 18%, Canvas); border-radius: 14px;
      background: Canvas; color: CanvasText; font: 16px/1.5 system-ui, sans-serif; box-shadow: 0 24px 64px rgb(0 0 0 / 0.35);
    }
    dialog::backdrop { background: rgb(10 12 20 / 0.5); }
    fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
    h2 { margin: 0 0 0.75rem; font-size: 1.15rem; line-height: 1.3; overflow-wrap: anywhere; }
    p { margin: 0 0 1rem; overflow-wrap: anywhere; white-space: pre-line; }
    pre {
      margin: 0 0 1rem; padding: 0.75rem; max-height: 16rem; overflow: auto; border-radius: 8px;
      background: color-mix(in srgb, CanvasText 7%, Canvas); font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere;
    }
    label { display: grid; gap: 0.25rem; margin: 0 0 1rem; }
    span { font-weight: 600; }
    small { opacity: 0.75; }
    input, select { box-sizing: border-box; width: 100%; padding: 0.5rem 0.6rem; border: 1px solid color-mix(in srgb, CanvasText 35%, Canvas); border-radius: 8px; background: Field; color: FieldText; font: inherit; }
    input[type="checkbox"] { width: 1.25rem; height: 1.25rem; }
    footer { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 0.75rem; margin-top: 1.25rem; }
    button { padding: 0.55rem 1.1rem; border: 1px solid color-mix(in srgb, CanvasText 30%, Canvas); border-radius: 8px; background: transparent; color: inherit; font: inherit; cursor: pointer; }
    button[type="submit"] { border-color: transparent; background: #2452d8; color: #fff; font-weight: 600; }
    button:disabled { opacity: 0.5; cursor: default; }
    :focus-visible { outline: 3px solid #6b8cff; outline-offset: 2px; }
  `);
  return sheet;
}
