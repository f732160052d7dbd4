/** Copies as if the person had chosen to: where a click or a key was just pressed, browsers allow that without asking. */
export function copyByEvent(text: string): boolean {
  let isCopied = false;
  const put = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    // A terminal, or an editor, would copy what is selected in it.
    event.stopImmediatePropagation();
    isCopied = event.clipboardData !== null;
  };
  addEventListener("copy", put, { capture: true });
  try {
    return document.execCommand("copy") && isCopied;
  } finally {
    removeEventListener("copy", put, { capture: true });
  }
}
