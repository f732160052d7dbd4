import { Fragment } from "preact";
import { CopyButton } from "./button.tsx";

/** A text to be pasted elsewhere, with a button that copies it. */
export function CommandLine({ text }: { readonly text: string }) {
  return (
    <div class="command">
      <code>
        {text.split(" ").map((word, index) => (
          // Lines are broken between words only: a dash would be a place to break at.
          <Fragment key={index}>
            {index > 0 && " "}
            <span class="word">{word}</span>
          </Fragment>
        ))}
      </code>
      <CopyButton what={text} text={text} />
    </div>
  );
}
