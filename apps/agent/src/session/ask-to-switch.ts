import { showInvisible } from "pagewire/wire";
import { html, icon, show } from "../../../common/src/dom.ts";
import { icons } from "../icons.ts";
import { browserClock } from "../talk/clock.ts";
import { createArming } from "../talk/state/arming.ts";

/** Asks a user who is signed in whether the link that was opened may sign in somebody else. */
export async function askToSwitch(root: HTMLElement, from: string, to: string): Promise<boolean> {
  const arming = createArming(browserClock);
  const [current, next] = [showInvisible(from), showInvisible(to)];
  const decision = await new Promise<boolean>((finish) => {
    const stay = html(
      "button",
      { type: "button", class: "button strong", onclick: () => finish(false) },
      `Stay ${current}`,
    );
    // Whoever opened the link may have had this appear under a click that was meant for something else.
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
