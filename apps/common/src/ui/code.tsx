import { showInvisible } from "pagewire/wire";
import { useEffect, useState } from "preact/hooks";
import { CopyButton } from "./button.tsx";
import { highlight } from "pagewire/chat/highlight";
import type { Language, Piece } from "pagewire/chat/highlight";

export interface CodeProps {
  readonly text: string;
  readonly language?: Language | undefined;
  /** A name for the text, for screen readers and above it. */
  readonly label: string;
  /** Long lines continue below instead of scrolling. */
  readonly wraps?: boolean;
  readonly bare?: boolean;
}

/** A text of a language with its colours, and a button that copies it. */
export function Code({ text, language, label, wraps = false, bare = false }: CodeProps) {
  const pieces = usePieces(text, language);
  return (
    <figure class="code">
      {!bare && (
        <figcaption>
          <span>{label}</span>
          <CopyButton what={label} text={text} />
        </figcaption>
      )}
      <pre class={wraps ? "wraps" : undefined} tabIndex={0} aria-label={label} role="region">
        <code>
          {pieces.map(({ text: part, kind }, index) => (
            <span key={index} class={kind}>
              {showInvisible(part)}
            </span>
          ))}
        </code>
      </pre>
    </figure>
  );
}

/** The text at once, and its colours when they are there. */
function usePieces(text: string, language: Language | undefined): readonly Piece[] {
  const [coloured, setColoured] = useState<{ readonly of: string; readonly pieces: readonly Piece[] }>();
  useEffect(() => {
    if (language === undefined) return;
    let isOver = false;
    const show = (pieces: readonly Piece[]): void => {
      if (!isOver) setColoured({ of: text, pieces });
    };
    // Without colours it can be read as well.
    highlight(text, language).then(show, () => {});
    return () => void (isOver = true);
  }, [text, language]);
  return coloured?.of === text ? coloured.pieces : [{ text }];
}
