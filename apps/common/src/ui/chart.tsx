import type uPlot from "uplot";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { createPlot, dataOf } from "./plot.ts";
import type { Series } from "./plot.ts";

/** The facts about one place of a chart. */
export interface Point {
  readonly title: string;
  readonly figures: readonly (readonly [name: string, value: string])[];
  readonly notes?: readonly string[];
}

export interface ChartProps {
  /** The id of its heading. */
  readonly labelledBy: string;
  /** The keys besides those that move, in words. */
  readonly help?: string;
  readonly height?: number;
  readonly series: readonly Series[];
  /** The text below a place. */
  readonly nameOf: (index: number) => string;
  readonly format: (value: number) => string;
  readonly describe: (index: number) => Point;
  /** Lines across, each with a label. */
  readonly lines?: readonly { readonly value: number; readonly label: string }[];
  /** Marks at the top of places; each has a value of `data-flag`. */
  readonly flags?: readonly { readonly index: number; readonly name: string }[];
  /** The place to begin at; the last one by default. */
  readonly start?: number;
  /** How far the page keys move. */
  readonly page?: number;
  readonly onPick?: ((index: number) => void) | undefined;
  /** A part that was drawn over with the pointer. */
  readonly onSelect?: ((from: number, to: number) => void) | undefined;
}

/** A chart over places in a row, such as days. Screen readers and keys meet it as a slider over these places. */
export function Chart(props: ChartProps) {
  const { labelledBy, help, height = 280, series, nameOf, describe, lines = [], flags = [], page = 7, onPick } = props;
  const { place, plot } = usePlot(props);
  const id = useId();
  const count = Math.max(...series.map(({ values }) => values.length));
  const [chosen, setChosen] = useState<number>();
  const [isShown, show] = useState(false);
  const index = Math.max(0, Math.min(count - 1, chosen ?? props.start ?? count - 1));
  const point = describe(index);
  const text = [`${point.title}: ${point.figures.map((pair) => pair.join(" ")).join(", ")}`, ...(point.notes ?? [])];

  // Other places: the one that was looked at is not among them, or is elsewhere.
  useEffect(() => setChosen(undefined), [nameOf(0)]);

  function press(event: KeyboardEvent): void {
    const targets: Record<string, number> = {
      ArrowLeft: index - 1,
      ArrowDown: index - 1,
      ArrowRight: index + 1,
      ArrowUp: index + 1,
      PageDown: index - page,
      PageUp: index + page,
      Home: 0,
      End: count - 1,
    };
    const target = targets[event.key];
    if (event.key === "Enter" && onPick) onPick(index);
    else if (target === undefined) return;
    else {
      setChosen(Math.max(0, Math.min(count - 1, target)));
      show(true);
    }
    event.preventDefault();
  }

  return (
    <div
      class="chart"
      role="slider"
      tabIndex={0}
      aria-labelledby={labelledBy}
      aria-describedby={help === undefined ? undefined : id}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, count - 1)}
      aria-valuenow={index}
      aria-valuetext={text.join(", ")}
      style={{ height: `${height}px` }}
      onKeyDown={press}
      onPointerMove={({ clientX }) => {
        if (!plot) return;
        setChosen(plot.posToIdx(clientX - plot.over.getBoundingClientRect().left));
        show(true);
      }}
      onPointerLeave={({ currentTarget }) => show(currentTarget.matches(":focus-visible"))}
      onFocus={({ currentTarget }) => show(currentTarget.matches(":focus-visible"))}
      onBlur={() => show(false)}
    >
      <div ref={place} class="chart-plot" />
      {plot && (
        <div class="chart-marks" style={{ left: plot.over.style.left, top: plot.over.style.top }}>
          {lines.map(({ value, label }) => (
            <Mark key={label} class="chart-line" y={plot.valToPos(value, "y")} width={plot.over.clientWidth}>
              <span class="chart-line-label">{label}</span>
            </Mark>
          ))}
          {flags.map(({ index: at, name }) => (
            <Mark key={name} class="chart-flag" flag={name} x={plot.valToPos(at, "x")} y={0} />
          ))}
          {isShown && <Cursor {...{ plot, series, index, point }} />}
        </div>
      )}
      {help !== undefined && (
        <p class="visually-hidden" id={id}>
          {help}
        </p>
      )}
    </div>
  );
}

interface MarkProps {
  readonly class: string;
  readonly x?: number;
  readonly y: number;
  readonly width?: number;
  readonly height?: number;
  readonly flag?: string;
  readonly children?: ComponentChildren;
}

function Mark({ class: name, x = 0, y, width, height, flag, children }: MarkProps) {
  const size = { ...(width && { width: `${width}px` }), ...(height && { height: `${height}px` }) };
  return (
    <div class={name} data-flag={flag} style={{ transform: `translate(${x}px, ${y}px)`, ...size }}>
      {children}
    </div>
  );
}

interface CursorProps {
  readonly plot: uPlot;
  readonly series: readonly Series[];
  readonly index: number;
  readonly point: Point;
}

/** The place that is looked at: a line, a point on the first series that has a value there, and its figures. */
function Cursor({ plot, series, index, point: { title, figures, notes = [] } }: CursorProps) {
  const x = plot.valToPos(index, "x");
  const value = series.map(({ values }) => values[index]).find((each) => each != null);
  const side = x > plot.over.clientWidth / 2 ? "calc(-100% - 14px)" : "14px";
  return (
    <>
      <Mark class="chart-cursor" x={x} y={0} height={plot.over.clientHeight} />
      {value != null && <Mark class="chart-point" x={x} y={plot.valToPos(value, "y")} />}
      <div class="tooltip" style={{ transform: `translate(calc(${x}px + ${side}), 0)` }}>
        <p class="tooltip-title">{title}</p>
        <dl>
          {figures.map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        {notes.map((note) => (
          <p key={note} class="tooltip-note">
            {note}
          </p>
        ))}
      </div>
    </>
  );
}

/** The plot in its element, drawn again when its data, its size or the theme changes. */
function usePlot(props: ChartProps): { readonly place: { current: HTMLDivElement | null }; readonly plot?: uPlot } {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const current = useRef<uPlot>(undefined);
  const [drawn, setDrawn] = useState<{ readonly plot: uPlot }>();
  const size = useSize(place);
  const theme = useTheme();
  const { series, lines = [] } = props;
  const atLeast = Math.max(0, ...lines.map(({ value }) => value));
  const kind = JSON.stringify([atLeast, series.map(({ values: _values, ...look }) => look)]);

  useEffect(() => {
    const { current: element } = place;
    if (!element || size.width === 0) return;
    let isOver = false;
    const options = {
      ...size,
      series: latest.current.series,
      atLeast,
      nameOf: (index: number) => latest.current.nameOf(index),
      format: (value: number) => latest.current.format(value),
      onDraw: (plot: uPlot) => setDrawn({ plot }),
      ...(latest.current.onSelect && { onSelect: (from: number, to: number) => latest.current.onSelect?.(from, to) }),
    };
    void createPlot(element, options).then((plot) => {
      if (isOver) return plot.destroy();
      // Until now the old one was shown, with its marks.
      current.current?.destroy();
      current.current = plot;
      plot.setData(dataOf(latest.current.series));
    });
    return () => void (isOver = true);
  }, [size, theme, kind]);
  useEffect(() => () => current.current?.destroy(), []);
  useEffect(() => current.current?.setData(dataOf(series)), [series]);
  return { place, ...(drawn && { plot: drawn.plot }) };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function useSize(place: { readonly current: HTMLElement | null }): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useEffect(() => {
    const { current: element } = place;
    if (!element) return;
    const sizes = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
    });
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [place]);
  return size;
}

/** A number that changes with the page's colours: a canvas does not follow them by itself. */
function useTheme(): number {
  const [theme, change] = useState(0);
  useEffect(() => {
    const over = new AbortController();
    const next = (): void => change((before) => before + 1);
    for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"]) {
      matchMedia(query).addEventListener("change", next, { signal: over.signal });
    }
    const choices = new MutationObserver(next);
    choices.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      over.abort();
      choices.disconnect();
    };
  }, []);
  return theme;
}
