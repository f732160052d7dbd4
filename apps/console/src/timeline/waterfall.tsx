import { durationText } from "../../../common/src/ui/index.ts";
import { lifeOf } from "./steps.ts";
import type { CallRecord, Life, Piece } from "./steps.ts";

/** The life of a call: a line for each piece of its time. */
export function Waterfall({ record }: { readonly record: CallRecord }) {
  const life = lifeOf(record);
  if (life.pieces.length === 0) return <p class="hint">It ended at once: nothing of it took time.</p>;
  return (
    <>
      <ol class="waterfall">
        {life.pieces.map((piece) => (
          <li key={`${piece.kind} ${piece.from}`}>
            <span class="waterfall-label">
              {piece.label}
              {piece.note !== undefined && <small> {piece.note}</small>}
            </span>
            <span class="waterfall-track" aria-hidden="true">
              <span class={`waterfall-bar ${piece.kind}`} style={placeIn(life, piece)} />
              {piece.kind === "ran" &&
                life.marks.map(({ at, label }) => (
                  <span key={label} class="waterfall-mark" title={label} style={{ left: shareOf(life, at) }} />
                ))}
            </span>
            <span class="waterfall-time">{durationText(piece.to - piece.from)}</span>
          </li>
        ))}
      </ol>
      <ul class="hint">
        {life.marks.map(({ at, label }) => (
          <li key={label}>
            {label} after {durationText(at)}
          </li>
        ))}
      </ul>
      {!life.isKnown && <p class="hint">The record has no times of single steps.</p>}
    </>
  );
}

function shareOf({ from, to }: Life, at: number): string {
  const all = to - from;
  return `${all <= 0 ? 0 : (100 * (at - from)) / all}%`;
}

function placeIn(life: Life, { from, to }: Piece) {
  const all = life.to - life.from;
  return { left: shareOf(life, from), width: `${all <= 0 ? 100 : (100 * (to - from)) / all}%` };
}
