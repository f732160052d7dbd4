import { expect, onTestFinished, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { mount, mountOpen } from "./view.test-helper.ts";

type Mounted = Awaited<ReturnType<typeof mountOpen>>;

/** Clicks on the fourth cell of the first row, with the pointer coming from below. */
async function clickLink({ end, find }: Mounted, ...modifiers: "Control"[]): Promise<void> {
  const screen = find(".xterm-screen");
  const { columns = 80, rows = 24 } = end.of("open")[0] ?? {};
  const { width, height } = screen.getBoundingClientRect();
  const [cellWidth, cellHeight] = [width / columns, height / rows];
  await userEvent.hover(screen, { position: { x: 3.5 * cellWidth, y: 4.5 * cellHeight } });
  const position = { x: 3.5 * cellWidth, y: 0.5 * cellHeight };
  await userEvent.hover(screen, { position });
  await vi.waitFor(() => expect(screen.classList).toContain("xterm-cursor-pointer"));
  await userEvent.click(screen, { position, modifiers });
}

/** Records the addresses of opened links until the test ends; opens nothing. */
function hearOpening(): string[] {
  const opened: string[] = [];
  const click = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    opened.push(`${this.href} ${this.target} ${this.rel}`);
  });
  onTestFinished(() => click.mockRestore());
  return opened;
}

const link = (address: string, text: string) => `\u001b]8;;${address}\u001b\\${text}\u001b]8;;\u001b\\`;

test("a click with Ctrl opens an address; without Ctrl, the view asks first", async () => {
  const opened = hearOpening();
  const mounted = await mountOpen();
  mounted.end.output(0, "https://shop.example/orders now");
  await mounted.reads("orders now");
  await clickLink(mounted);
  await vi.waitFor(() => expect(mounted.notes()).toEqual(["https://shop.example/ordersOpenClose"]));
  const anchor = mounted.find<HTMLAnchorElement>(".note a");
  expect([anchor.href, anchor.target, anchor.rel]).toEqual([
    "https://shop.example/orders",
    "_blank",
    "noopener noreferrer",
  ]);
  await userEvent.click(mounted.button("Close"));
  expect([mounted.notes(), opened]).toEqual([[], []]);
  await clickLink(mounted, "Control");
  await vi.waitFor(() => expect(opened).toEqual(["https://shop.example/orders _blank noopener noreferrer"]));
});

test("a text that names another target than its own is always confirmed, and an invalid target does nothing", async () => {
  const opened = hearOpening();
  const mounted = await mountOpen();
  mounted.end.output(
    0,
    `${link("https://evil.example/", "https://bank.example/")}\r\n${link("javascript:alert(1)", "run it")}`,
  );
  await mounted.reads("run it");
  await clickLink(mounted, "Control");
  const [note] = await vi.waitFor(() =>
    mounted.notes().length > 0 ? mounted.notes() : Promise.reject(new Error("none")),
  );
  expect(note).toContain('The text "https://bank.example/" leads to evil.example.');
  expect(opened).toEqual([]);
});

test("a note on a long address keeps its button visible, and shows the warning first", async () => {
  const mounted = await mountOpen();
  mounted.end.output(0, link(`https://evil.example/${"x".repeat(20_000)}`, "https://bank.example/"));
  await mounted.reads("bank.example");
  await clickLink(mounted);
  const [note] = await vi.waitFor(() =>
    mounted.notes().length > 0 ? mounted.notes() : Promise.reject(new Error("none")),
  );
  expect(note).toMatch(/^The text "https:\/\/bank.example\/" leads to evil.example.\n/);
  await userEvent.click(mounted.button("Close"));
  expect(mounted.notes()).toEqual([]);
  expect(mounted.find(".notes").clientHeight).toBeLessThan(mounted.find(".view").clientHeight);
});

const osc52 = (data: string) => `\u001b]52;c;${data}\u0007`;

test("a program copies through the page's action, and the user is notified", async () => {
  const handler = vi.fn<(input: Record<string, unknown>) => string>(() => "Copied.");
  const { end, notes } = await mountOpen({ actions: [{ name: "clipboard_write", handler, options: {} }] });
  end.output(0, osc52(btoa("secret")));
  await vi.waitFor(() => expect(notes()).toEqual(["Copied to the clipboard: 6 characters."]));
  expect(handler.mock.calls[0]?.[0]).toEqual({ text: "secret" });
});

test("a program that copies in a loop causes one note, and only its newest text is copied", async () => {
  const copied: unknown[] = [];
  let go = () => {};
  const handler = ({ text }: Record<string, unknown>) => {
    copied.push(text);
    return new Promise<string>((resolve) => (go = () => resolve("Copied.")));
  };
  const { end, notes, reads } = await mountOpen({ actions: [{ name: "clipboard_write", handler, options: {} }] });
  end.output(0, `${["one", "two", "six"].map((text) => osc52(btoa(text))).join("")}done`);
  await reads("done");
  expect(copied).toEqual(["one"]);
  go();
  await vi.waitFor(() => expect(copied).toEqual(["one", "six"]));
  go();
  await vi.waitFor(() => expect(notes()).toEqual(["Copied to the clipboard: 3 characters."]));
});

test("if the browser refuses to copy, a click allows it", async () => {
  const handler = () => Promise.reject(new Error("Click in the page, and copy again."));
  const { button, end, notes } = await mountOpen({ actions: [{ name: "clipboard_write", handler, options: {} }] });
  const written = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  onTestFinished(() => written.mockRestore());
  end.output(0, osc52(btoa("secret")));
  await vi.waitFor(() => expect(notes()[0]).toContain("A program wants to copy 6 characters."));
  await userEvent.click(button("Copy"));
  await vi.waitFor(() => expect(written).toHaveBeenCalledWith("secret"));
});

test("a page without that action refuses to copy, and no page reveals the clipboard", async () => {
  const { end, notes } = await mountOpen({ actions: false });
  end.output(0, osc52(btoa("secret")));
  await vi.waitFor(() => expect(notes()).toEqual(["A program wanted to copy something, and this page lets none."]));
  end.output(30, osc52("?"));
  await vi.waitFor(() => expect(notes()[1]).toBe("A program wanted to read the clipboard, and may not."));
  expect(end.typed).toBe("");
});

test("a paste is bracketed if the shell requests it, and cannot end the bracket", async () => {
  const { end, find, reads, view } = await mountOpen();
  end.output(0, "\u001b[?2004hready");
  await reads("ready");
  view.paste("one\u001b[201~\ntwo");
  await vi.waitFor(() => expect(end.typed).toBe("\u001b[200~one[201~\rtwo\u001b[201~"));
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", "three\u0003");
  const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true, composed: true });
  find(".xterm textarea").dispatchEvent(event);
  await vi.waitFor(() => expect(end.typed).toContain("\u001b[200~three\u001b[201~"));
  expect(event.defaultPrevented).toBe(true);
});

test("an oversized text is not pasted, with a note", async () => {
  const { end, notes, view } = await mountOpen();
  view.paste("x".repeat(4 * 1024 * 1024 + 1));
  await vi.waitFor(() => expect(notes()).toEqual(["What you pasted is too long for a terminal: it was not sent."]));
  expect(end.typed).toBe("");
});

test("Ctrl+Shift+C copies the selection, and the shell gets no key", async () => {
  const mounted = await mountOpen();
  const { end, find, notes, reads, view } = mounted;
  const written = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  onTestFinished(() => written.mockRestore());
  end.output(0, "word another");
  await reads("word another");
  expect(await view.copySelection()).toBe(false);
  await userEvent.dblClick(find(".xterm-screen"), { position: { x: 12, y: 8 } });
  await userEvent.keyboard("{Control>}{Shift>}C{/Shift}{/Control}");
  await vi.waitFor(() => expect(written).toHaveBeenCalledWith("word"));
  expect([end.typed, notes()]).toEqual(["", ["Copied."]]);
});

test("a right click lets the browser's menu copy the selection", async () => {
  const { end, find, reads } = await mountOpen();
  end.output(0, "word another");
  await reads("word another");
  const screen = find(".xterm-screen");
  await userEvent.dblClick(screen, { position: { x: 12, y: 8 } });
  await userEvent.click(screen, { position: { x: 12, y: 8 }, button: "right" });
  expect(find<HTMLTextAreaElement>(".xterm textarea").value).toBe("word");
});

test("Ctrl+F searches with the keyboard alone, and shows the number of matches", async () => {
  const { end, find, reads, root, view } = await mountOpen();
  end.output(0, "apple\r\nbanana\r\napple pie\r\n");
  await reads("apple pie");
  view.focus();
  await userEvent.keyboard("{Control>}f{/Control}apple");
  const count = find(".count");
  await vi.waitFor(() => expect(count.textContent).toBe("1 of 2"));
  await userEvent.keyboard("{Enter}");
  await vi.waitFor(() => expect(count.textContent).toBe("2 of 2"));
  await userEvent.keyboard("{Shift>}{Enter}{/Shift}");
  await vi.waitFor(() => expect(count.textContent).toBe("1 of 2"));
  await userEvent.keyboard("x");
  await vi.waitFor(() => expect(count.textContent).toBe("Not found"));
  end.output(26, "\u001b[?1049h");
  await userEvent.keyboard("y");
  await vi.waitFor(() => expect(count.textContent).toBe("Not on this screen"));
  await userEvent.keyboard("{Escape}");
  expect(find(".search").hidden).toBe(true);
  expect(root.activeElement).toBe(find(".xterm textarea"));
  expect(end.typed).toBe("");
});

test("an app can search", async () => {
  const { end, find, reads, view } = await mountOpen();
  end.output(0, "needle in a haystack");
  await reads("needle");
  expect([await view.search("needle"), await view.search("thread", { backwards: true })]).toEqual([true, false]);
  expect(find(".search").hidden).toBe(false);
});

test("the theme follows the system until one is chosen", async () => {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const { find, view } = await mountOpen();
  expect(find(".view").dataset["theme"]).toBe(system);
  for (const [theme, colour] of [
    ["dark", "rgb(20, 23, 26)"],
    ["light", "rgb(251, 252, 253)"],
  ] as const) {
    view.setTheme(theme);
    expect(getComputedStyle(find(".view")).backgroundColor).toBe(colour);
    await vi.waitFor(() => expect(getComputedStyle(find(".xterm-scrollable-element")).backgroundColor).toBe(colour));
  }
  view.setTheme("auto");
  expect(find(".view").dataset["theme"]).toBe(system);
});

test("keys change the font size and the size of the terminal, and the browser stores it", async () => {
  const { end, find, reads, view } = await mountOpen({ fontSize: 16 });
  end.output(0, "text");
  await reads("text");
  const size = () => getComputedStyle(find(".xterm-rows")).fontSize;
  expect(size()).toBe("16px");
  view.focus();
  await userEvent.keyboard("{Control>}={/Control}{Control>}={/Control}");
  await vi.waitFor(() => expect(size()).toBe("18px"));
  const { columns = 0 } = end.of("open")[0] ?? {};
  await vi.waitFor(() => expect(end.of("resize").at(-1)?.columns).toBeLessThan(columns));
  const other = mount({ fontSize: 16 });
  await vi.waitFor(() => expect(getComputedStyle(other.find(".xterm-rows")).fontSize).toBe("18px"));
  await userEvent.keyboard("{Control>}-{/Control}");
  await vi.waitFor(() => expect(size()).toBe("17px"));
  await userEvent.keyboard("{Control>}0{/Control}");
  await vi.waitFor(() => expect(size()).toBe("16px"));
  expect(end.typed).toBe("");
  view.setFontSize(1000);
  await vi.waitFor(() => expect(size()).toBe("32px"));
});

test("a view has an accessible name, and Tab leaves it after Ctrl+Shift+M", async () => {
  const { end, find, notes, view } = await mountOpen({ label: "Build machine" });
  expect(find(".view").ariaLabel).toBe("Build machine: work");
  expect(find(".xterm textarea").ariaLabel).toBe("Build machine");
  expect(find(".xterm textarea").ariaDescription).toBe("Ctrl+Shift+M lets Tab leave the terminal.");
  const after = document.createElement("button");
  document.body.append(after);
  view.focus();
  await userEvent.keyboard("{Tab}");
  await vi.waitFor(() => expect(end.typed).toBe("\t"));
  await userEvent.keyboard("{Control>}{Shift>}M{/Shift}{/Control}{Tab}");
  expect(document.activeElement).toBe(after);
  expect([end.typed, notes()]).toEqual(["\t", ["Tab moves the focus now."]]);
  after.remove();
});

test("in screen reader mode, the output can be read line by line", async () => {
  const { end, find, reads, root, view } = await mountOpen({ screenReaderMode: true });
  end.output(0, "line for readers");
  await reads("line for readers");
  await vi.waitFor(() => expect(find(".xterm-accessibility-tree").textContent).toContain("line for readers"));
  view.setScreenReaderMode(false);
  await vi.waitFor(() => expect(root.querySelector(".xterm-accessibility-tree")).toBeNull());
});

test("queries of programs are answered, and the focus is reported only when it changes", async () => {
  const { end, reads } = await mountOpen();
  end.output(0, "\u001b[6n\u001b[?1004h done");
  await reads("done");
  await vi.waitFor(() => expect(end.typed).toBe("\u001b[1;1R"));
});
