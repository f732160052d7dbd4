import { render } from "preact";
import { browserClock, createArming } from "pagewire/chat/dom";
import { showInvisible } from "pagewire/wire";
import { Button } from "../ui/button.tsx";
import { Brand } from "./ask-to-sign-in.tsx";

/** Asks a signed-in user whether the opened link may sign in another one. */
export async function askToSwitch(root: HTMLElement, from: string, to: string): Promise<boolean> {
  const arming = createArming(browserClock);
  const [current, next] = [showInvisible(from), showInvisible(to)];
  const decision = await new Promise<boolean>((finish) => {
    // A page that opened the link may have timed this dialog to catch a click.
    const leave = ({ isTrusted }: Event) => isTrusted && arming.isArmed && finish(true);
    const question = (
      <main class="sign-in">
        <Brand />
        <h1>Sign in as {next}?</h1>
        <p class="why" role="alert">
          You are signed in as {current}. The link that was opened signs in {next}, who could read all that you write
          from then on. If you did not ask for that link, stay.
        </p>
        <div>
          <Button kind="strong" onClick={() => finish(false)}>
            Stay {current}
          </Button>
          <Button onClick={leave}>Sign in as {next}</Button>
        </div>
      </main>
    );
    render(question, root);
    root.querySelector<HTMLElement>("button.strong")?.focus();
  });
  arming.close();
  return decision;
}
