import type { Look } from "./create-look.ts";
import type { ViewKey } from "./screen/key-of.ts";

export interface ViewKeysParts {
  readonly look: Pick<Look, "stepFontSize">;
  copySelection(): void;
  search(): void;
  say(text: string): void;
}

/** Runs the actions of the view's own keys; returns whether a key was used. */
export function createViewKeys({ look, copySelection, search, say }: ViewKeysParts): (key: ViewKey) => boolean {
  let doesTabLeave = false;
  const uses: Readonly<Record<Exclude<ViewKey, "tab">, () => void>> = {
    copy: copySelection,
    // The browser pastes.
    paste: () => {},
    search,
    larger: () => look.stepFontSize(1),
    smaller: () => look.stepFontSize(-1),
    normal: () => look.stepFontSize(0),
    "let-tab-leave"() {
      doesTabLeave = !doesTabLeave;
      say(doesTabLeave ? "Tab moves the focus now." : "Tab goes to the shell now.");
    },
  };
  return (key) => {
    if (key === "tab") return doesTabLeave;
    uses[key]();
    return true;
  };
}
