import { render } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { PagewireError } from "pagewire/wire";
import { Button } from "../ui/button.tsx";
import { SignInLinks } from "./ask-to-sign-in.tsx";
import type { SignInProvider } from "./providers.ts";

export interface AskAgainParts {
  readonly problem: PagewireError;
  readonly providers: readonly SignInProvider[];
  /** Aborted when the person has signed in again. */
  readonly signal: AbortSignal;
}

/** Asks over the page, which stays as it is, and resolves if the person leaves it instead. */
export async function askAgain({ problem, providers, signal }: AskAgainParts): Promise<void> {
  const place = document.body.appendChild(document.createElement("div"));
  try {
    await new Promise<void>((leave) => {
      signal.addEventListener("abort", () => leave());
      render(<SignInAgain {...{ problem, providers, leave }} />, place);
    });
  } finally {
    render(null, place);
    place.remove();
  }
}

interface SignInAgainProps extends Pick<AskAgainParts, "problem" | "providers"> {
  readonly leave: () => void;
}

function SignInAgain({ problem, providers, leave }: SignInAgainProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOver = useRef(false);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => {
      isOver.current = true;
      shown?.close();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="again-title"
      onCancel={(event) => event.preventDefault()}
      // Browsers close a dialog at the second Escape, even if the first one was for something else.
      onClose={({ currentTarget }) => isOver.current || currentTarget.showModal()}
    >
      <div class="dialog-body">
        <header>
          <h2 id="again-title">Sign in again</h2>
        </header>
        <div class="dialog-content sign-in-again">
          <p role="alert">{problem.message}</p>
          <p>What you typed here stays: sign in in another tab, and come back to this one.</p>
          <SignInLinks providers={providers} inOther />
        </div>
        <footer>
          <Button onClick={leave}>Leave this page</Button>
        </footer>
      </div>
    </dialog>
  );
}
