import { messageOf } from "../../../wire/index.ts";
import { drawGlobe } from "./globe.ts";
import { openSound } from "./sound.ts";
import { play } from "./play.ts";
import type { Size } from "./play.ts";
import { thump } from "./thump.ts";
import { wantsStillness } from "./viewing.ts";

const seconds = 9;
const fadingSeconds = 0.6;
/** How long the ball takes from wall to wall, and from floor to floor. */
const secondsAcross = 2.6;
const secondsUpAndDown = 1.5;
const turnsPerSecond = 0.35;

let stop = () => {};

/** Lets the ball bounce; what it says is why it cannot be heard, where it cannot. */
export async function bounce(): Promise<string> {
  stop();
  stop = () => {};
  if (wantsStillness()) {
    start(undefined);
    return "";
  }
  try {
    start(await openSound());
    return "";
  } catch (error) {
    start(undefined);
    return ` It cannot be heard: ${messageOf(error)}`;
  }
}

function start(sound: AudioContext | undefined): void {
  stop();
  const isStill = wantsStillness();
  let time = 0;
  let hits = hitsUntil(0);
  const end = play({
    draw(pen, step, size) {
      time += step;
      pen.globalAlpha = Math.max(0, Math.min(1, (seconds - time) / fadingSeconds, time / 0.2));
      const ball = ballAt(isStill ? secondsUpAndDown / 2 : time, size);
      drawRoom(pen, size);
      drawShadow(pen, ball);
      drawGlobe(pen, ball);
      const now = hitsUntil(time);
      if (sound && now !== hits) thump(sound, { pan: (ball.x / size.width) * 2 - 1 });
      hits = now;
      const goesOn = time < seconds;
      if (!goesOn) void sound?.close();
      return goesOn;
    },
  });
  stop = () => {
    end();
    if (sound && sound.state !== "closed") void sound.close();
  };
}

/** How often the ball has hit the floor or a wall. */
function hitsUntil(time: number): number {
  return Math.floor(time / secondsUpAndDown) + Math.floor(time / secondsAcross + 0.5);
}

interface Ball {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  /** How far it has turned, in radians. */
  readonly turn: number;
}

/** Where the ball is: even from side to side, and as things fall up and down. */
function ballAt(time: number, { width, height }: Size): Ball {
  const radius = Math.min(width, height) * 0.16;
  const across = time / secondsAcross + 0.5;
  const there = across % 1;
  const isBack = Math.floor(across) % 2 === 1;
  const up = (time / secondsUpAndDown) % 1;
  const floor = height - radius - 12;
  const turned = (isBack ? 1 - there : there) * secondsAcross * turnsPerSecond * 2 * Math.PI;
  return {
    x: radius + (isBack ? 1 - there : there) * (width - 2 * radius),
    y: floor - 4 * up * (1 - up) * (floor - radius - 24),
    radius,
    turn: turned,
  };
}

function drawRoom(pen: CanvasRenderingContext2D, { width, height }: Size): void {
  const gap = Math.max(width, height) / 18;
  pen.strokeStyle = "rgb(160 60 190 / 0.28)";
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (let x = (width % gap) / 2; x <= width; x += gap) {
    pen.moveTo(x, 0);
    pen.lineTo(x, height);
  }
  for (let y = (height % gap) / 2; y <= height; y += gap) {
    pen.moveTo(0, y);
    pen.lineTo(width, y);
  }
  pen.stroke();
}

/** On the wall behind. */
function drawShadow(pen: CanvasRenderingContext2D, { x, y, radius }: Ball): void {
  pen.fillStyle = "rgb(20 10 40 / 0.35)";
  pen.beginPath();
  pen.arc(x + radius * 0.42, y + radius * 0.16, radius, 0, Math.PI * 2);
  pen.fill();
}
