import { showInvisible } from "pagewire/wire";

/** A sentence about a failure, which screen readers read at once. */
export function ProblemLine({ text }: { readonly text: string | undefined }) {
  return (
    <p class="problem" role="alert">
      {text !== undefined && showInvisible(text)}
    </p>
  );
}
