import type { Action } from "../action.ts";
import { showing } from "./viewing.ts";

/** The ball of 1984, drawn anew, and heard where it bounces. */
export function boing(): Action {
  return {
    name: "boing",
    async handler() {
      const { bounce } = await import("./ball.ts");
      const silence = await bounce();
      return showing("Boing!") + silence;
    },
    options: { title: "Boing", description: "Lets a checkered ball bounce over the page for some seconds." },
  };
}
