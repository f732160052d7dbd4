import { showInvisible } from "pagewire/wire";

/** Says at once what did not work. */
export function ProblemLine({ text }: { readonly text: string | undefined }) {
  return (
    <p class="problem" role="alert">
      {text !== undefined && showInvisible(text)}
    </p>
  );
}
