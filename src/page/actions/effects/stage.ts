export interface Stage {
  readonly root: ShadowRoot;
  /** Can be called twice. */
  close(): void;
}

export interface StageOptions {
  readonly styles: string;
  /** How long it is shown, not counting the time in which the tab is hidden. */
  readonly seconds: number;
}

const commonStyles = `
  :host { all: initial; position: fixed; inset: 0; z-index: 2147483647; overflow: hidden; pointer-events: none; }
  :host([paused]) * { animation-play-state: paused !important; }
  :host([still]) * { animation: none !important; }
`;

const openStages = new Map<string, Stage>();

/** Opens a layer above the page that lets clicks through. It replaces an open one of the same name. */
export function openStage(name: string, { styles, seconds }: StageOptions): Stage {
  openStages.get(name)?.close();
  const host = document.createElement("pagewire-effect");
  const root = host.attachShadow({ mode: "closed" });
  // A strict Content-Security-Policy allows constructed style sheets.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(commonStyles + styles);
  root.adoptedStyleSheets = [sheet];
  host.toggleAttribute("still", matchMedia("(prefers-reduced-motion: reduce)").matches);

  let timer: ReturnType<typeof setTimeout> | undefined;
  const followVisibility = () => {
    clearTimeout(timer);
    host.toggleAttribute("paused", document.hidden);
    if (!document.hidden) timer = setTimeout(() => stage.close(), seconds * 1000);
  };
  const stage: Stage = {
    root,
    close() {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", followVisibility);
      host.remove();
    },
  };
  document.addEventListener("visibilitychange", followVisibility);
  followVisibility();
  document.documentElement.append(host);
  openStages.set(name, stage);
  return stage;
}
