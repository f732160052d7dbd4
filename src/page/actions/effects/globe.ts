/** A round thing on the screen. */
export interface Globe {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly turn: number;
}

const bands = 8;
const columns = 16;
/** A field's edges are bent: so many straight pieces make one. */
const pieces = 4;
const tilt = 17 * (Math.PI / 180);

type Point = readonly [x: number, y: number, z: number];

/** Draws a tilted globe, checkered in red and white. */
export function drawGlobe(pen: CanvasRenderingContext2D, globe: Globe): void {
  const { x, y, radius } = globe;
  pen.save();
  pen.translate(x, y);
  pen.rotate(tilt);
  // White beneath: between two fields nothing shines through.
  pen.fillStyle = "#fff";
  pen.beginPath();
  pen.arc(0, 0, radius, 0, Math.PI * 2);
  pen.fill();
  pen.fillStyle = "#e8201f";
  for (let band = 0; band < bands; band++) {
    for (let column = band % 2; column < columns; column += 2) fillField(pen, { ...globe, band, column });
  }
  pen.restore();
  shade(pen, globe);
}

interface Field extends Globe {
  readonly band: number;
  readonly column: number;
}

function fillField(pen: CanvasRenderingContext2D, { radius, turn, band, column }: Field): void {
  const at = (down: number, along: number): Point => {
    const latitude = ((band + down) / bands - 0.5) * Math.PI;
    const longitude = ((column + along) / columns) * 2 * Math.PI + turn;
    const ring = Math.cos(latitude) * radius;
    return [Math.sin(longitude) * ring, Math.sin(latitude) * radius, Math.cos(longitude) * ring];
  };
  const corners: Point[] = [];
  for (let piece = 0; piece <= pieces; piece++) corners.push(at(0, piece / pieces));
  for (let piece = 0; piece <= pieces; piece++) corners.push(at(1, 1 - piece / pieces));
  if (corners.every(([, , z]) => z < 0)) return;
  pen.beginPath();
  // What lies behind the edge is drawn on the edge.
  for (const [x, y, z] of corners) pen.lineTo(z < 0 ? Math.sign(x) * Math.sqrt(radius ** 2 - y ** 2) : x, y);
  pen.fill();
}

function shade(pen: CanvasRenderingContext2D, { x, y, radius }: Globe): void {
  const light = pen.createRadialGradient(x - radius * 0.4, y - radius * 0.45, radius * 0.1, x, y, radius);
  light.addColorStop(0, "rgb(255 255 255 / 0.45)");
  light.addColorStop(0.45, "rgb(255 255 255 / 0)");
  light.addColorStop(1, "rgb(40 0 30 / 0.45)");
  pen.fillStyle = light;
  pen.beginPath();
  pen.arc(x, y, radius, 0, Math.PI * 2);
  pen.fill();
}
