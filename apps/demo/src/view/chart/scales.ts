// From days and cents to pixels. Pure.

/** Room around the plot for the labels. */
const margin = { top: 30, right: 14, bottom: 28, left: 52 };

export interface Scales {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** The amounts that have a line across the plot, lowest first. */
  readonly amounts: readonly number[];
  x(index: number): number;
  y(cents: number): number;
  /** The day that is nearest to a place across the plot. */
  indexAt(x: number): number;
}

export interface ScalesOptions {
  readonly width: number;
  readonly height: number;
  /** How many days there are. */
  readonly count: number;
  /** The largest amount to be shown, in cents. */
  readonly highest: number;
}

/** Makes the scales of a chart. */
export function createScales({ width, height, count, highest }: ScalesOptions): Scales {
  const right = width - margin.right;
  const bottom = height - margin.bottom;
  const amounts = niceAmounts(highest);
  const top = amounts.at(-1) ?? 1;
  const step = (right - margin.left) / Math.max(1, count - 1);
  return {
    width,
    height,
    left: margin.left,
    right,
    top: margin.top,
    bottom,
    amounts,
    x: (index) => margin.left + index * step,
    y: (cents) => bottom - (cents / top) * (bottom - margin.top),
    indexAt: (x) => Math.min(count - 1, Math.max(0, Math.round((x - margin.left) / step))),
  };
}

/** Round amounts from zero to just above the highest, about six of them; without sales, up to 100 dollars. */
export function niceAmounts(highest: number): readonly number[] {
  const top = Math.max(10_000, highest);
  const power = 10 ** Math.floor(Math.log10(top / 5));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= top / 5) ?? 10);
  return Array.from({ length: Math.ceil(top / step) + 1 }, (_, index) => index * step);
}

/** The places of the days that are named below the plot: evenly apart, and never crowded. */
export function labelledDays(count: number, width: number): readonly number[] {
  const most = Math.max(2, Math.floor(width / 84));
  const step = [1, 2, 5, 7, 14, 28, 56].find((days) => count / days <= most) ?? 56;
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);
}
