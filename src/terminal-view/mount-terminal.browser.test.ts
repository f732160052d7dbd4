import { expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { mount, mountOpen, scriptSockets, tokenKey, welcome } from "./view.test-helper.ts";

test("a view opens a terminal of its own size, and shows the output", async () => {
  const { end, reads, sockets, view } = await mountOpen({ name: "build" });
  expect(sockets.urls).toEqual(["ws://hub.test/ws/terminal"]);
  expect(end.of("hello")).toEqual([{ type: "hello", version: 1, token: "kept-token" }]);
  const [open] = end.of("open");
  expect(open?.name).toBe("build");
  expect(open?.columns).toBeGreaterThan(70);
  expect(open?.rows).toBeGreaterThan(15);
  end.output(0, "\u001b[31mhello\u001b[0m world\r\n");
  await reads("hello world");
  expect([view.terminal, view.state.status]).toEqual(["t1", "connected"]);
});

test("drawn output is acknowledged to the hub", async () => {
  const { end } = await mountOpen();
  end.output(0, "x".repeat(1000));
  await vi.waitFor(() => expect(end.of("seen")).toEqual([{ type: "seen", at: 1000 }]));
});

test("answers of the terminal while disconnected do not count as typed", async () => {
  const { end, find, reads, root, view } = await mountOpen();
  end.output(0, "\u001b[?1004hready");
  await reads("ready");
  view.focus();
  end.cut();
  await vi.waitFor(() => expect(find(".banner").hidden).toBe(false));
  (root.activeElement as HTMLElement).blur();
  view.focus();
  await userEvent.keyboard("a");
  await vi.waitFor(() => expect(find(".banner").textContent).toContain("1 character that you typed"));
});

test("input goes to the shell; while disconnected it is queued, and the banner shows it", async () => {
  const { button, end, find, root, screen, sockets, view, reads } = await mountOpen();
  end.output(0, "kept on the screen");
  await reads("kept on the screen");
  view.focus();
  await userEvent.keyboard("ls{Enter}");
  await vi.waitFor(() => expect(end.typed).toBe("ls\r"));
  end.output(18, "");
  end.cut();
  await vi.waitFor(() => expect(find(".banner").hidden).toBe(false));
  expect(find(".banner").textContent).toContain("The connection to the hub was lost.");
  await userEvent.keyboard("abc");
  expect(find(".banner").textContent).toContain("3 characters that you typed will be sent then.");
  expect(screen()).toContain("kept on the screen");
  await userEvent.click(button("Do not send it"));
  expect(find(".banner").textContent).not.toContain("characters");
  await userEvent.click(button("Try now"));
  await vi.waitFor(() => expect(sockets.ends).toHaveLength(2));
  const again = sockets.ends[1];
  await vi.waitFor(() => expect(again?.of("hello")).toHaveLength(1));
  again?.welcome();
  await vi.waitFor(() => expect(again?.of("open")[0]).toMatchObject({ stream: "s1", from: 18 }));
  again?.opened({ at: 18, isNew: false });
  await vi.waitFor(() => expect(find(".banner").hidden).toBe(true));
  expect([screen(), again?.typed]).toEqual(["kept on the screen", ""]);
  expect(root.activeElement).not.toBeNull();
});

test("a view that gets the focus reports the id of its tab, and again when the id changes", async () => {
  const { end, own, view } = await mountOpen();
  await vi.waitFor(() => expect(end.of("here")).toEqual([{ type: "here", tab: "tab1", focused: false }]));
  view.focus();
  await vi.waitFor(() => expect(end.of("here").at(-1)).toEqual({ type: "here", tab: "tab1", focused: true }));
  own.become({ status: "connected", message: "", tabId: "tab2", via: { kind: "socket" } });
  await vi.waitFor(() => expect(end.of("here").at(-1)).toEqual({ type: "here", tab: "tab2", focused: true }));
  const elsewhere = document.createElement("button");
  document.body.append(elsewhere);
  elsewhere.focus();
  await vi.waitFor(() => expect(end.of("here").at(-1)).toEqual({ type: "here", tab: "tab2", focused: false }));
  elsewhere.remove();
});

test("after the shell has ended, Enter starts a new one", async () => {
  const { end, find, view } = await mountOpen();
  view.focus();
  end.say({ type: "exited", code: 0 });
  await vi.waitFor(() => expect(find(".banner").textContent).toContain("Press Enter to start a new one."));
  await userEvent.keyboard("x{Enter}");
  await vi.waitFor(() => expect(end.of("open")).toHaveLength(2));
  expect([end.of("open")[1]?.terminal, end.typed]).toEqual([undefined, ""]);
});

test("a refused view shows the command, and can retry", async () => {
  localStorage.setItem(tokenKey, "kept-token");
  const sockets = scriptSockets();
  const { button, find } = mount();
  const end = await sockets.hub();
  await vi.waitFor(() => expect(end.of("hello")).toHaveLength(1));
  end.refuse("terminal-unavailable", "Terminals are off here. Start the hub with: npx pagewire hub --terminal");
  await vi.waitFor(() => expect(find(".panel code").textContent).toBe("npx pagewire hub --terminal"));
  await userEvent.click(button("Try again"));
  await vi.waitFor(() => expect(sockets.ends).toHaveLength(2));
  await welcome(sockets);
  await vi.waitFor(() => expect(find(".panel").hidden).toBe(true));
  localStorage.clear();
});

test("a view without a credential asks for a code; a wrong one is reported, a valid one opens the terminal", async () => {
  const sockets = scriptSockets();
  const { find, root, view } = mount();
  await vi.waitFor(() => expect(view.state.status).toBe("signed-out"));
  expect(find(".panel code").textContent).toBe(`npx pagewire terminal --for ${location.origin}`);
  view.focus();
  await vi.waitFor(() => expect(root.activeElement).toBe(find("#code")));
  await userEvent.keyboard("no{Enter}");
  expect(find(".problem").textContent).toContain("This is no code.");
  await userEvent.keyboard("wrong-code-1{Enter}");
  const first = await vi.waitFor(() => sockets.ends.at(-1)?.of("hello")[0] ?? Promise.reject(new Error("none")));
  expect(first.code).toBe("wrong-code-1");
  sockets.ends.at(-1)?.refuse("token-invalid", "This code is not good any more.");
  await vi.waitFor(() => expect(find(".problem").textContent).toBe("This code is not good any more."));
  await vi.waitFor(() => expect(root.activeElement).toBe(find("#code")));
  await userEvent.keyboard("right-code-1{Enter}");
  const end = await vi.waitFor(() => {
    const last = sockets.ends.at(-1);
    if (last?.of("hello")[0]?.code !== "right-code-1") throw new Error("The code was not brought.");
    return last;
  });
  end.welcome({ token: "fresh-token" });
  await vi.waitFor(() => expect(end.of("open")).toHaveLength(1));
  end.opened();
  await vi.waitFor(() => expect(find(".panel").hidden).toBe(true));
  expect(localStorage.getItem(tokenKey)).toBe("fresh-token");
  // The keyboard is in the terminal now.
  await userEvent.keyboard("q");
  await vi.waitFor(() => expect(end.typed).toBe("q"));
  localStorage.clear();
});

test("a click into a connecting view moves the focus to the terminal", async () => {
  const sockets = scriptSockets();
  const { find, place, view } = mount({ token: "jwt" });
  await vi.waitFor(() => find(".xterm-screen"));
  expect(view.state.status).toBe("connecting");
  await userEvent.click(place);
  const end = await welcome(sockets);
  await userEvent.keyboard("q");
  await vi.waitFor(() => expect(end.typed).toBe("q"));
});

test("a code that was entered in another tab is used without a prompt", async () => {
  const sockets = scriptSockets();
  const { view } = mount();
  await vi.waitFor(() => expect(view.state.status).toBe("signed-out"));
  localStorage.setItem(tokenKey, "from-elsewhere");
  const event = { key: tokenKey, newValue: "from-elsewhere", storageArea: localStorage };
  dispatchEvent(new StorageEvent("storage", event));
  await vi.waitFor(() => expect(sockets.ends.at(-1)?.of("hello")[0]?.token).toBe("from-elsewhere"));
  localStorage.clear();
});

test("several views in one page have separate terminals, and the page's styles apply to none of them", async () => {
  const style = document.createElement("style");
  style.textContent =
    "* { color: rgb(1, 2, 3) !important; letter-spacing: 20px } .xterm-rows { display: none !important }";
  document.head.append(style);
  const first = await mountOpen();
  const other = mount();
  await vi.waitFor(() => expect(first.sockets.ends).toHaveLength(2));
  const end = await welcome(first.sockets);
  end.output(0, "of the second");
  first.end.output(0, "of the first");
  await Promise.all([first.reads("of the first"), other.reads("of the second")]);
  expect([first.screen(), other.screen()]).toEqual(["of the first", "of the second"]);
  const rows = first.find(".xterm-rows");
  expect(getComputedStyle(rows).display).not.toBe("none");
  expect(getComputedStyle(rows).color).not.toBe("rgb(1, 2, 3)");
  style.remove();
});

test("a closed view leaves nothing behind", async () => {
  const before = [document.head.innerHTML, document.body.childElementCount, document.adoptedStyleSheets.length];
  const { end, own, place, view } = await mountOpen();
  end.output(0, "something");
  view.close();
  view.close();
  expect([place.innerHTML, view.state.status]).toEqual(["", "closed"]);
  await vi.waitFor(() => expect(end.isClosed).toBe(true));
  place.remove();
  expect([document.head.innerHTML, document.body.childElementCount, document.adoptedStyleSheets.length]).toEqual(
    before,
  );
  // The page is the app's own.
  expect([own.isClosed, own.toolbox.list()]).toEqual([false, []]);
});

test("a view that is closed before its parts are loaded stays closed", async () => {
  const sockets = scriptSockets();
  const { place, view } = mount({ token: "jwt" });
  view.close();
  await new Promise((resolve) => requestAnimationFrame(resolve));
  expect([place.innerHTML, sockets.ends.flatMap(({ sent }) => sent)]).toEqual(["", []]);
});

test("a view follows the size of its element, except while hidden", async () => {
  const sockets = scriptSockets();
  const { place } = mount({ token: "jwt" });
  place.hidden = true;
  const end = await sockets.hub();
  await vi.waitFor(() => expect(end.of("hello")).toHaveLength(1));
  end.welcome();
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  expect(end.of("open")).toEqual([]);
  place.hidden = false;
  const { columns, rows } = await vi.waitFor(() => end.of("open")[0] ?? Promise.reject(new Error("not yet")));
  end.opened({ columns, rows });
  place.style.width = "400px";
  await vi.waitFor(() => expect(end.of("resize").at(-1)?.columns).toBeLessThan(columns / 1.8));
  place.hidden = true;
  const count = end.of("resize").length;
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  expect(end.of("resize")).toHaveLength(count);
});

test("a terminal has the size of its active view, also in other views", async () => {
  const { end, find } = await mountOpen();
  end.say({ type: "size", columns: 40, rows: 5 });
  await vi.waitFor(() => expect(find(".xterm-rows").childElementCount).toBe(5));
});

test("the page has the view's tools until the view closes", async () => {
  const greet = { name: "greet", handler: () => "hello", options: {} };
  const { own, view } = await mountOpen({ actions: [greet] });
  expect(own.toolbox.list().map(({ name }) => name)).toEqual(["greet"]);
  view.close();
  expect(own.toolbox.list()).toEqual([]);
});

test("a view offers the standard actions by default", async () => {
  const { own } = await mountOpen({ actions: undefined } as never);
  const names = own.toolbox.list().map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["fetch", "clipboard_write", "git_credential", "celebrate", "beep"]));
});

test("malformed options are refused with the expected form", () => {
  const place = document.createElement("div");
  const refusals = [{ hub: "hub.test" }, { theme: "blue" as never }, { fontSize: -1 }];
  for (const options of refusals) {
    expect(() => mount({ ...options })).toThrow(`The option "${Object.keys(options)[0]}" must be`);
  }
  expect(place.innerHTML).toBe("");
});
