// The effects, drawn with CSS animations. Loaded on first use.

interface Stage {
  readonly root: ShadowRoot;
  /** Can be called twice. */
  close(): void;
}

interface StageOptions {
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
function openStage(name: string, { styles, seconds }: StageOptions): Stage {
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

const confettiPieces = 150;

/** Throws confetti from both lower corners, and shows the reason as text. */
export function throwConfetti(reason: string): void {
  const { root } = openStage("confetti", { styles: confettiStyles, seconds: 3.5 });
  for (let index = 0; index < confettiPieces; index++) {
    const piece = document.createElement("i");
    piece.style.setProperty("--corner", index % 2 === 0 ? "0" : "100");
    for (const name of ["--x", "--y", "--hue"]) piece.style.setProperty(name, String(Math.random() * 100));
    root.append(piece);
  }
  if (reason === "") return;
  const banner = withText("p", reason);
  banner.setAttribute("role", "status");
  root.append(banner);
}

/** Shows a bouncing checkered ball. */
export function bounceBall(): void {
  const { root } = openStage("ball", { styles: ballStyles, seconds: 9 });
  const ball = document.createElement("div");
  const path = document.createElement("div");
  path.append(ball);
  root.append(path);
}

/** Shows "Bob" with a quote, which is returned. A click or Escape closes it; the focus does not move. */
export function showBob(reason: string): string {
  const quote = quotes[Math.floor(Math.random() * quotes.length)] ?? quotes[0];
  const { root, close } = openStage("bob", { styles: bobStyles, seconds: 20 });
  const veil = document.createElement("div");
  veil.setAttribute("role", "status");
  veil.append(
    drawPortrait(),
    withText("blockquote", `“${quote}”`),
    withText("p", `“Bob” blesses ${reason === "" ? "this workspace" : reason}.`),
    withText("small", "Click to send him on his way."),
  );
  root.append(veil);
  veil.addEventListener("click", close);
  addEventListener(
    "keydown",
    function closeByKey({ key }) {
      if (veil.isConnected && key !== "Escape") return;
      removeEventListener("keydown", closeByKey, { capture: true });
      close();
    },
    { capture: true },
  );
  return quote;
}

function withText(tag: "blockquote" | "p" | "small", text: string): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

function drawPortrait(): SVGSVGElement {
  const svg = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(svg, "svg");
  picture.setAttribute("viewBox", "60 40 200 170");
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", "“Bob”, who smiles and smokes a pipe");
  for (const [fill, d] of portrait) {
    const path = document.createElementNS(svg, "path");
    path.setAttribute("fill", fill);
    path.setAttribute("d", d);
    picture.append(path);
  }
  return picture;
}

const ink = "#1d1208";
/** Face, hair, brows, eyes, smile, and the pipe. */
const portrait = [
  ["#fbdca6", "M104 88Q102 130 108 156Q114 182 136 192Q150 197 164 192Q186 182 192 156Q198 130 196 88Q150 62 104 88Z"],
  [ink, "M101 116Q94 66 128 52Q166 38 190 58Q206 74 199 116Q194 96 184 84Q152 92 122 76Q106 92 101 116Z"],
  [ink, "M116 107Q126 97 138 106Q126 102 116 107ZM162 106Q174 97 184 107Q174 102 162 106Z"],
  [ink, "M118 119Q127 110 136 119Q127 124 118 119ZM164 119Q173 110 182 119Q173 124 164 119Z"],
  ["#fff8e6", "M122 156Q150 164 178 154Q172 178 150 179Q130 178 122 156Z"],
  ["#7a3a12", "M172 160L214 174V146H242L239 174Q236 188 225 187L172 166Z"],
] as const;

const quotes = [
  "Slack is not given. It is committed, and then force-pushed.",
  "The test that never failed has never looked.",
  "Ask not who broke the build. Ask who was resting when it broke.",
  "There are two hard things. I have hidden both of them from you.",
  "A cache is a memory that is too proud to ask.",
  "Rest is a feature. Ship it first.",
  "Every deadline was once a pipe dream. I kept the pipe.",
  "In the beginning was the prompt, and the prompt had no schema.",
] as const;

const confettiStyles = `
  i {
    position: absolute; left: calc(var(--x) * 1vw); top: calc(var(--y) * 1vh); width: 0.8rem; height: 0.5rem;
    background: hsl(calc(var(--hue) * 3.6) 90% 60%); rotate: calc(var(--hue) * 7deg); animation: throw 3.5s both;
  }
  p {
    position: absolute; top: 22%; left: 50%; translate: -50% 0; margin: 0; padding: 0.6em 1.4em; max-width: 80vw; box-sizing: border-box;
    border-radius: 2em; background: rgb(20 16 44 / 0.9); color: #fff; text-align: center; overflow-wrap: anywhere;
    font: 700 clamp(18px, 3vw, 34px)/1.35 system-ui, sans-serif; animation: rise 0.5s;
  }
  @keyframes throw {
    from { translate: calc((var(--corner) - var(--x)) * 1vw) calc((100 - var(--y)) * 1vh); animation-timing-function: ease-out; }
    25% { translate: 0 0; animation-timing-function: ease-in; }
    to { translate: 0 100vh; rotate: 3 2 1 900deg; }
  }
  @keyframes rise { from { opacity: 0; scale: 0.6; } }
`;

const ballStyles = `
  :host { --size: 32vmin; --floor: calc(100vh - var(--size)); --wall: calc(100vw - var(--size)); }
  div { position: absolute; left: calc(var(--wall) / 2); animation: across 2.6s -1.3s linear infinite alternate; }
  div div {
    left: 0; top: calc(var(--floor) / 2); width: var(--size); height: var(--size); border-radius: 50%; box-shadow: inset -3vmin -3vmin 8vmin rgb(40 0 30 / 0.5);
    background: repeating-conic-gradient(#e8201f 0 25%, #fff 0 50%) 0 / 25% 25%;
    animation: fall 0.75s cubic-bezier(0.33, 0, 0.67, 0.33) infinite alternate, turn 3s linear infinite;
  }
  @keyframes across { from { left: 0; } to { left: var(--wall); } }
  @keyframes fall { from { top: 2vh; } to { top: var(--floor); } }
  @keyframes turn { to { background-position-x: var(--size); } }
`;

const bobStyles = `
  div {
    position: absolute; inset: 0; display: grid; justify-items: center; align-content: center; gap: 1.2rem; padding: 2rem; box-sizing: border-box;
    background: radial-gradient(circle at 50% 40%, rgb(70 30 4 / 0.86), rgb(8 4 14 / 0.95) 70%); color: #ffe9b8; pointer-events: auto; cursor: pointer;
    font: 16px/1.5 Georgia, "Times New Roman", serif; text-align: center;
  }
  svg { width: min(40vh, 80vw); animation: arrive 1.5s; }
  blockquote { margin: 0; max-width: 30ch; font-size: clamp(20px, 3.2vw, 34px); line-height: 1.3; text-wrap: balance; }
  p { margin: 0; font-style: italic; max-width: 60ch; overflow-wrap: anywhere; }
  small { color: #d8b67c; font: 13px system-ui, sans-serif; }
  @keyframes arrive { from { rotate: -360deg; scale: 0.02; } }
`;
