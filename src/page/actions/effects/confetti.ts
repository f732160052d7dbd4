import { play } from "./play.ts";
import type { Size } from "./play.ts";
import { wantsStillness } from "./viewing.ts";

interface Flake {
  x: number;
  y: number;
  /** Pixels in a second. */
  vx: number;
  vy: number;
  turn: number;
  readonly spin: number;
  readonly length: number;
  readonly colour: string;
  readonly isRound: boolean;
}

const colours = ["#ff4d6d", "#ffb703", "#8ac926", "#1fb5ff", "#9b5de5", "#ff7f11", "#00c2a8"];
const seconds = 3.5;
const fadingSeconds = 0.8;
const gravity = 900;
/** How much of its speed a flake loses to the air in a second. */
const drag = 1.1;

let stop = () => {};

/** Throws confetti from both lower corners, or shows it where it fell, and says what for. */
export function throwConfetti(reason: string): void {
  stop();
  const isStill = wantsStillness();
  let flakes: readonly Flake[] | undefined;
  let time = 0;
  stop = play({
    styles,
    above: reason === "" ? [] : [bannerOf(reason)],
    draw(pen, step, size) {
      flakes ??= Array.from({ length: 320 }, (_none, index) => (isStill ? lyingFlake(size) : thrownFlake(size, index)));
      time += step;
      pen.globalAlpha = Math.max(0, Math.min(1, (seconds - time) / fadingSeconds));
      for (const flake of flakes) {
        if (!isStill) move(flake, step);
        drawFlake(pen, flake);
      }
      return time < seconds;
    },
  });
}

/** Higher screens need a stronger throw. */
function thrownFlake({ width, height }: Size, index: number): Flake {
  const isLeft = index % 2 === 0;
  const angle = (50 + Math.random() * 34) * (Math.PI / 180);
  const speed = Math.sqrt(height * gravity) * (0.75 + Math.random() * 1.15);
  return {
    ...flakeAt(isLeft ? 0 : width, height),
    vx: Math.cos(angle) * speed * (isLeft ? 1 : -1),
    vy: -Math.sin(angle) * speed,
  };
}

function lyingFlake({ width, height }: Size): Flake {
  return flakeAt(Math.random() * width, Math.random() * height);
}

function flakeAt(x: number, y: number): Flake {
  const colour = colours[Math.floor(Math.random() * colours.length)] ?? "";
  const spin = (Math.random() - 0.5) * 14;
  const length = 9 + Math.random() * 10;
  return { x, y, vx: 0, vy: 0, turn: Math.random() * 6, spin, length, colour, isRound: Math.random() < 0.25 };
}

function move(flake: Flake, step: number): void {
  const kept = Math.exp(-drag * step);
  flake.vx = flake.vx * kept + Math.sin(flake.turn) * 60 * step;
  flake.vy = flake.vy * kept + gravity * step;
  flake.x += flake.vx * step;
  flake.y += flake.vy * step;
  flake.turn += flake.spin * step;
}

function drawFlake(pen: CanvasRenderingContext2D, { x, y, turn, length, colour, isRound }: Flake): void {
  pen.save();
  pen.translate(x, y);
  pen.rotate(turn * 0.6);
  // Seen from its edge a flake is thin: so it seems to tumble.
  pen.scale(1, Math.cos(turn));
  pen.fillStyle = colour;
  pen.beginPath();
  if (isRound) pen.arc(0, 0, length / 2, 0, Math.PI * 2);
  else pen.rect(-length / 2, -length / 3.4, length, length / 1.7);
  pen.fill();
  pen.restore();
}

function bannerOf(reason: string): HTMLElement {
  const banner = document.createElement("p");
  banner.setAttribute("role", "status");
  banner.textContent = reason;
  return banner;
}

const styles = `
  p {
    position: absolute; top: 22%; left: 50%; translate: -50% 0; margin: 0; padding: 0.6em 1.4em; max-width: 80vw; box-sizing: border-box;
    border-radius: 2em; background: rgb(20 16 44 / 0.9); color: #fff; text-align: center; overflow-wrap: anywhere;
    font: 700 clamp(18px, 3vw, 34px)/1.35 system-ui, sans-serif; box-shadow: 0 10px 40px rgb(0 0 0 / 0.35); animation: rise 0.5s cubic-bezier(0.2, 1.6, 0.4, 1);
  }
  @keyframes rise { from { opacity: 0; scale: 0.6; } }
  @media (prefers-reduced-motion: reduce) { p { animation: none; } }
`;
