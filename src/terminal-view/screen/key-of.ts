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
