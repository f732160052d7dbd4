import { useRef, useState } from "preact/hooks";
import { clockText } from "./words.ts";
import type { Summary } from "./summary.ts";

export interface DensityProps {
  readonly summary: Summary;
  /** A part of the time was drawn over, or a bar clicked. */
  readonly onSelect: (since: number, until: number) => void;
}

const height = 100;
/** Of the failures of a bar with very many calls something is to be seen. */
const leastHeight = 4;

/** How many calls there were over time, and how many of them failed. */
export function Density({ summary, onSelect }: DensityProps) {
  const { buckets, since, until, calls, failures } = summary;
  const element = useRef<SVGSVGElement>(null);
  const [drawn, setDrawn] = useState<{ readonly from: number; readonly to: number }>();
  if (since === undefined || buckets.length === 0) return <div class="density" aria-hidden="true" />;
  const most = Math.max(1, ...buckets.map((bucket) => bucket.calls));
  const step = (until - since) / buckets.length;
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(leastHeight, (count / most) * height));

  function indexAt({ clientX }: PointerEvent): number {
    const { left = 0, width = 1 } = element.current?.getBoundingClientRect() ?? {};
    return Math.max(0, Math.min(buckets.length - 1, Math.floor(((clientX - left) / width) * buckets.length)));
  }

  function end(): void {
    if (!drawn || since === undefined) return;
    setDrawn(undefined);
    const [first, last] = [Math.min(drawn.from, drawn.to), Math.max(drawn.from, drawn.to)];
    onSelect(Math.floor(since + first * step), Math.ceil(since + (last + 1) * step));
  }

  const first = drawn && Math.min(drawn.from, drawn.to);
  const width = drawn && Math.abs(drawn.to - drawn.from) + 1;
  return (
    <figure class="density">
      <svg
        ref={element}
        viewBox={`0 0 ${buckets.length} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${calls} calls from ${clockText(since)} to ${clockText(until)}, ${failures} failed; at most ${most} in ${spanText(step)}`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const at = indexAt(event);
          setDrawn({ from: at, to: at });
        }}
        onPointerMove={(event) => drawn && setDrawn({ ...drawn, to: indexAt(event) })}
        onPointerUp={end}
        onPointerCancel={() => setDrawn(undefined)}
      >
        {drawn && <rect class="density-drawn" x={first} y={0} width={width} height={height} />}
        {buckets.map((bucket, index) => (
          <g key={index}>
            <rect class="density-hit" x={index} y={0} width={1} height={height}>
              <title>{`${clockText(since + index * step)}: ${bucket.calls} calls, ${bucket.failures} failed`}</title>
            </rect>
            <Bar kind="calls" index={index} tall={heightOf(bucket.calls)} />
            <Bar kind="failures" index={index} tall={heightOf(bucket.failures)} />
          </g>
        ))}
      </svg>
      <figcaption>
        <span>{clockText(since)}</span>
        <span>{`most in ${spanText(step)}: ${most}`}</span>
        <span>{clockText(until)}</span>
      </figcaption>
    </figure>
  );
}

function Bar({ kind, index, tall }: { readonly kind: string; readonly index: number; readonly tall: number }) {
  if (tall === 0) return null;
  return <rect class={`density-${kind}`} x={index + 0.12} y={height - tall} width={0.76} height={tall} />;
}

function spanText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(1, Math.round(milliseconds))} ms`;
  if (milliseconds < 120_000) return `${Math.round(milliseconds / 1000)} s`;
  if (milliseconds < 7_200_000) return `${Math.round(milliseconds / 60_000)} min`;
  return `${Math.round(milliseconds / 3_600_000)} h`;
}
