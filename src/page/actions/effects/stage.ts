/** A place above the page that its clicks go through, in a shadow root that the page's styles do not reach. */
export interface Stage {
  readonly root: ShadowRoot;
  /** Takes it away. Can be called twice. */
  close(): void;
}

const common = ":host { all: initial; position: fixed; inset: 0; z-index: 2147483647; pointer-events: none; }";

/** Opens a stage with styles of its own, as a strict Content-Security-Policy allows them. */
export function openStage(styles: string): Stage {
  const host = document.createElement("pagewire-effect");
  const root = host.attachShadow({ mode: "closed" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(common + styles);
  root.adoptedStyleSheets = [sheet];
  document.documentElement.append(host);
  return { root, close: () => host.remove() };
}
