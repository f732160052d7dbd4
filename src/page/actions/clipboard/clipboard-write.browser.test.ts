import { afterEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { run } from "../actions.test-helper.ts";
import { clipboardWrite } from "./clipboard-write.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const action = clipboardWrite();
const writeText = () => vi.spyOn(navigator.clipboard, "writeText");

test("a text is put on the clipboard, and without one nothing is", async () => {
  const written = writeText().mockResolvedValue();
  expect(await run(action, { text: "a\n😀" })).toBe("Copied.");
  expect(written.mock.calls).toEqual([["a\n😀"]]);
  for (const input of [{}, { text: "" }, { text: 5 }]) await expect(run(action, input)).rejects.toThrow("missing text");
  expect(written).toHaveBeenCalledOnce();
});

/** Clicks, so that the browser lets the page copy; returns the copied text and the events that the page received. */
async function copyAfterClick(text: string): Promise<{ readonly copied: string | undefined; readonly heard: number }> {
  const button = document.createElement("button");
  button.textContent = "Here";
  document.body.append(button);
  await userEvent.click(button);
  button.remove();
  const setData = vi.spyOn(DataTransfer.prototype, "setData");
  let heard = 0;
  const hear = () => heard++;
  document.addEventListener("copy", hear);
  expect(await run(action, { text })).toBe("Copied.");
  document.removeEventListener("copy", hear);
  return { copied: setData.mock.calls[0]?.[1], heard };
}

test("where the browser's clipboard refuses, a text is copied as after a click, and the page's own copying is left out", async () => {
  writeText().mockRejectedValue(new DOMException("Document is not focused.", "NotAllowedError"));
  expect(await copyAfterClick("by event")).toEqual({ copied: "by event", heard: 0 });
});

test("so it is on a page that is not secure", async () => {
  vi.stubGlobal("isSecureContext", false);
  const written = writeText();
  expect(await copyAfterClick("insecure")).toEqual({ copied: "insecure", heard: 0 });
  expect(written).not.toHaveBeenCalled();
  vi.unstubAllGlobals();
});

test("neither focus nor selection of the page moves while a text is copied", async () => {
  writeText().mockRejectedValue(new DOMException("no", "NotAllowedError"));
  const input = document.createElement("input");
  input.value = "select me";
  document.body.append(input);
  input.focus();
  input.setSelectionRange(2, 5);
  await userEvent.keyboard("{Shift}");
  expect(await run(action, { text: "x" })).toBe("Copied.");
  expect([document.activeElement, input.selectionStart, input.selectionEnd]).toEqual([input, 2, 5]);
  input.remove();
});

test("where the browser lets a page copy in neither way, that is told with what to do", async () => {
  writeText().mockRejectedValue(new DOMException("Document is not focused.", "NotAllowedError"));
  vi.spyOn(document, "execCommand").mockReturnValue(false);
  await expect(run(action, { text: "x" })).rejects.toMatchObject({
    code: "action-unavailable",
    message:
      "The browser did not let this page write to the clipboard: Document is not focused. Click in the page, and copy again.",
  });
});
