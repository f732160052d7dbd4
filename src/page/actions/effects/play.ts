import { openStage } from "./stage.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Draws the next picture, so many seconds after the one before; false when it was the last. */
export type Draw = (pen: CanvasRenderingContext2D, seconds: number, size: Size) => boolean;

export interface PlayOptions {
  readonly draw: Draw;
  readonly styles?: string;
  /** What stands above the picture. */
  readonly above?: readonly HTMLElement[];
}

/** The longest step between two pictures: a tab that was out of sight goes on where it was. */
const longestStep = 0.05;

/** Plays a moving picture above the page. Its time is that in which somebody can see it. Returns a function that ends it. */
export function play({ draw, styles = "", above = [] }: PlayOptions): () => void {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  if (!pen) return () => {};
  const stage = openStage(`canvas { position: absolute; inset: 0; width: 100%; height: 100%; }${styles}`);
  stage.root.append(canvas, ...above);
  let before: number | undefined;

  const next = () => requestAnimationFrame(show);
  function show(now: number): void {
    const size = { width: innerWidth, height: innerHeight };
    // Setting the size also wipes the picture.
    canvas.width = size.width * devicePixelRatio;
    canvas.height = size.height * devicePixelRatio;
    pen?.scale(devicePixelRatio, devicePixelRatio);
    const step = Math.min((now - (before ?? now)) / 1000, longestStep);
    before = now;
    if (pen && draw(pen, step, size)) frame = next();
    else stage.close();
  }

  let frame = next();
  return () => {
    cancelAnimationFrame(frame);
    stage.close();
  };
}
