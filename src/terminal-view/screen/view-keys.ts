/** Keys that the view handles instead of the shell. */
export type ViewKey = "copy" | "paste" | "search" | "larger" | "smaller" | "normal" | "let-tab-leave" | "tab";

type KeyPress = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

const sizeKeys: Readonly<Record<string, ViewKey>> = { "+": "larger", "=": "larger", "-": "smaller", "0": "normal" };

/** The view's action for a key; undefined if the key goes to the shell. */
export function keyOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress, isMac: boolean): ViewKey | undefined {
  if (key === "Tab" && !ctrlKey && !metaKey && !altKey) return "tab";
  // The same on a Mac, because its browsers use Cmd+Shift+M.
  if (ctrlKey && shiftKey && !metaKey && !altKey && key.toLowerCase() === "m") return "let-tab-leave";
  const isMain = isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  if (!isMain || altKey) return undefined;
  const name = key.toLowerCase();
  // Ctrl+C and Ctrl+V go to the shell; no shell uses the Mac's command key.
  if (shiftKey || isMac) {
    if (name === "c") return "copy";
    if (name === "v") return "paste";
  }
  if (name === "f" && !shiftKey) return "search";
  return name === "+" || !shiftKey ? sizeKeys[name] : undefined;
}

export interface ViewKeysParts {
  copySelection(): void;
  search(): void;
  stepFontSize(step: 1 | -1 | 0): void;
  say(text: string): void;
}

/** Runs the actions of the view's own keys; returns whether a key was used. */
export function createViewKeys({ copySelection, search, stepFontSize, say }: ViewKeysParts): (key: ViewKey) => boolean {
  let doesTabLeave = false;
  const uses: Readonly<Record<Exclude<ViewKey, "tab">, () => void>> = {
    copy: copySelection,
    // The browser pastes.
    paste: () => {},
    search,
    larger: () => stepFontSize(1),
    smaller: () => stepFontSize(-1),
    normal: () => stepFontSize(0),
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
