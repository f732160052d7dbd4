// The part of a chart that uPlot draws: axes, lines and bars. It also knows the place of a value.
import type uPlot from "uplot";

export interface Series {
  readonly label: string;
  /** One for each place; null where there is none. */
  readonly values: readonly (number | null)[];
  /** A colour of the tokens, without its dashes: "accent", "danger". */
  readonly colour?: string;
  readonly shape?: "line" | "faint" | "dotted" | "dashed" | "bars" | "none";
  /** Its colour below the line. */
  readonly fill?: boolean;
  /** The series down to which its colour is. */
  readonly fillTo?: string;
}

export interface PlotOptions {
  readonly series: readonly Series[];
  readonly width: number;
  readonly height: number;
  /** The least that the axis of values reaches up to. */
  readonly atLeast: number;
  readonly nameOf: (index: number) => string;
  readonly format: (value: number) => string;
  readonly onDraw: (plot: uPlot) => void;
  readonly onSelect?: ((from: number, to: number) => void) | undefined;
}

const dashes = { line: [], faint: [], dotted: [1.5, 4], dashed: [6, 5], bars: [], none: [] };

/** Draws a chart into an element. */
export async function createPlot(element: HTMLElement, options: PlotOptions): Promise<uPlot> {
  const { default: Plot } = await import("uplot");
  const { series, width, height, atLeast, nameOf, format, onDraw, onSelect } = options;
  const [text, line] = [colourOf(element, "muted"), colourOf(element, "line")];
  const axis = { stroke: text, font: `12px ${getComputedStyle(element).fontFamily}`, ticks: { show: false } };
  const given: uPlot.Options = {
    width,
    height,
    legend: { show: false },
    cursor: {
      show: onSelect !== undefined,
      x: false,
      y: false,
      points: { show: false },
      drag: { x: true, setScale: false },
    },
    scales: {
      x: {
        time: false,
        range: (_plot, min, max) => [min - 0.5 * Number(hasBars(series)), max + 0.5 * Number(hasBars(series))],
      },
      y: { range: (_plot, _min, max) => [0, Math.max(max ?? 0, atLeast) * 1.08 || 1] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        grid: { show: false },
        incrs: [1, 2, 5, 7, 14, 28, 56, 112],
        space: 84,
        values: (_plot, splits) => splits.map((at) => (Number.isInteger(at) ? nameOf(at) : "")),
      },
      { ...axis, size: 54, space: 44, grid: { stroke: line, width: 1 }, values: (_plot, splits) => splits.map(format) },
    ],
    series: [{}, ...series.map((each) => seriesOf(Plot, colourOf(element, each.colour ?? "accent"), each))],
    bands: series.flatMap(({ fillTo, colour = "accent" }, index) => {
      const below = series.findIndex(({ label }) => label === fillTo);
      return below === -1 ? [] : [{ series: [index + 1, below + 1], fill: thin(colourOf(element, colour)) }];
    }),
    hooks: {
      draw: [onDraw],
      setSelect: [
        (plot) => {
          const { left, width: wide } = plot.select;
          if (wide < 4) return;
          onSelect?.(plot.posToIdx(left), plot.posToIdx(left + wide));
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
  return new Plot(given, dataOf(series), element);
}

export function dataOf(series: readonly Series[]): uPlot.AlignedData {
  const count = Math.max(0, ...series.map(({ values }) => values.length));
  return [Array.from({ length: count }, (_, index) => index), ...series.map(({ values }) => [...values])];
}

function hasBars(series: readonly Series[]): boolean {
  return series.some(({ shape }) => shape === "bars");
}

function seriesOf(Plot: typeof uPlot, colour: string, { shape = "line", fill }: Series): uPlot.Series {
  const { bars } = Plot.paths;
  return {
    stroke: shape === "faint" ? thin(colour, 55) : colour,
    width: shape === "none" || shape === "bars" ? 0 : shape === "line" || shape === "dashed" ? 2 : 1.25,
    dash: dashes[shape],
    cap: "round",
    points: { show: false },
    ...(shape === "bars" && { fill: colour, ...(bars && { paths: bars({ size: [0.8, 24], radius: 0.15 }) }) }),
    ...(fill && { fill: thin(colour) }),
  };
}

function thin(colour: string, percent = 14): string {
  return `color-mix(in srgb, ${colour} ${percent}%, transparent)`;
}

/** The value of a token in the present theme. */
function colourOf(element: HTMLElement, name: string): string {
  element.style.color = `var(--${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = "";
  return color;
}
