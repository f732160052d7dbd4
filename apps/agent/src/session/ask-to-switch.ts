import { showInvisible } from "pagewire/wire";
import { html, icon, show } from "../../../common/src/dom.ts";
import { icons } from "../icons.ts";
import { browserClock } from "../talk/clock.ts";
import { createArming } from "../talk/state/arming.ts";

/** Asks a signed-in user whether the opened link may sign in another one. */
export async function askToSwitch(root: HTMLElement, from: string, to: string): Promise<boolean> {
  const arming = createArming(browserClock);
  const [current, next] = [showInvisible(from), showInvisible(to)];
  const decision = await new Promise<boolean>((finish) => {
    const stay = html(
      "button",
      { type: "button", class: "button strong", onclick: () => finish(false) },
      `Stay ${current}`,
    );
    // A page that opened the link may have timed this dialog to catch a click.
    const leave = ({ isTrusted }: Event) => isTrusted && arming.isArmed && finish(true);
    show(
      root,
      html(
        "main",
        { class: "sign-in" },
        html("p", { class: "brand" }, icon(icons.mark), "Pagewire"),
        html("h1", {}, `Sign in as ${next}?`),
        html(
          "p",
          { class: "why", role: "alert" },
          `You are signed in as ${current}. The link that was opened signs in ${next}, who could read all that you write from then on. If you did not ask for that link, stay.`,
        ),
        html(
          "div",
          {},
          stay,
          html("button", { type: "button", class: "button", onclick: leave }, `Sign in as ${next}`),
        ),
      ),
    );
    stay.focus();
  });
  arming.close();
  return decision;
}
