import { drawPortrait } from "./portrait.ts";
import { chooseQuote } from "./quotes.ts";
import { openStage } from "./stage.ts";

/** So long he stays where nobody sends him away, in milliseconds of a tab that is looked at. */
const longestStay = 20_000;

let dismiss = () => {};

/** Shows "Bob" with a saying, which is given back. A click or Escape sends him away; the keyboard stays where it was. */
export function showBob(reason: string): string {
  dismiss();
  const quote = chooseQuote();
  const { root, close } = openStage(styles);
  const veil = document.createElement("div");
  const said = textIn("blockquote", quote);
  veil.setAttribute("role", "status");
  const lines = [textIn("p", `“Bob” blesses ${reason === "" ? "this workspace" : reason}.`)];
  veil.append(drawPortrait(), said, ...lines, textIn("small", "Click to send him on his way."));
  root.append(veil);

  const byKey = ({ key }: KeyboardEvent) => key === "Escape" && away();
  const leave = () => {
    removeEventListener("keydown", byKey, { capture: true });
    document.removeEventListener("visibilitychange", wait);
    clearTimeout(timer);
    close();
  };
  const away = () => dismiss();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(away, longestStay);
  };
  wait();
  dismiss = leave;
  veil.addEventListener("click", away);
  addEventListener("keydown", byKey, { capture: true });
  document.addEventListener("visibilitychange", wait);
  return quote;
}

function textIn(name: "blockquote" | "p" | "small", text: string): HTMLElement {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

const styles = `
  div {
    position: absolute; inset: 0; display: grid; justify-items: center; align-content: center; gap: 1.2rem; padding: 2rem; box-sizing: border-box;
    background: radial-gradient(circle at 50% 40%, rgb(70 30 4 / 0.86), rgb(8 4 14 / 0.95) 70%); color: #ffe9b8; pointer-events: auto; cursor: pointer;
    font: 16px/1.5 Georgia, "Times New Roman", serif; text-align: center; animation: appear 0.4s;
  }
  svg { width: min(52vh, 80vw); height: auto; overflow: visible; }
  .rays { transform-box: fill-box; transform-origin: center; animation: turn 60s linear infinite; }
  .face { transform-box: fill-box; transform-origin: center; animation: arrive 4s cubic-bezier(0.15, 0.9, 0.25, 1); }
  .smoke { animation: rise 3.2s ease-out infinite; transform-box: fill-box; transform-origin: bottom; }
  .smoke:nth-of-type(2n) { animation-delay: 1.6s; }
  blockquote { margin: 0; max-width: 30ch; font-size: clamp(20px, 3.2vw, 34px); line-height: 1.3; text-wrap: balance; }
  blockquote::before { content: "“"; } blockquote::after { content: "”"; }
  p { margin: 0; font-style: italic; max-width: 60ch; overflow-wrap: anywhere; }
  small { color: #d8b67c; font: 13px system-ui, sans-serif; }
  @keyframes appear { from { opacity: 0; } }
  @keyframes turn { to { rotate: 360deg; } }
  @keyframes arrive { from { rotate: -1080deg; scale: 0.02; } }
  @keyframes rise { from { opacity: 0.9; translate: 0 0; scale: 0.5; } to { opacity: 0; translate: 10px -46px; scale: 1.5; } }
  @media (prefers-reduced-motion: reduce) { div, .rays, .face, .smoke { animation: none; } }
`;
