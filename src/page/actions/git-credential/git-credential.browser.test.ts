import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { hosts, justShown, openShadowRoots, part, shown } from "../../dialog/dialog.test-helper.ts";
import type { Action } from "../registration/action.ts";
import { gitCredential } from "./git-credential.ts";

openShadowRoots();

const host = "git.example.com";
const account = "input[type=text]:not(#password)";
const password = "#password";
const send = "button[type=submit]";
const cancel = "footer button[type=button]";

let action: Action;

beforeEach(() => {
  action = gitCredential();
});
afterEach(() => void window.dispatchEvent(new PageTransitionEvent("pagehide")));

/** Runs the action as a call would. */
async function run(input: Record<string, unknown>, signal = new AbortController().signal): Promise<unknown> {
  const nothing = () => {};
  const context = { signal, callId: "1", agent: { name: "git" }, hub: undefined, progress: nothing, chunk: nothing };
  return action.handler({ protocol: "https", host, ...input }, context);
}

/** Requests a credential; a refusal may arrive before the test looks for it. */
function get(input: Record<string, unknown> = {}, signal?: AbortSignal): Promise<unknown> {
  const asked = run({ operation: "get", ...input }, signal);
  asked.catch(() => {});
  return asked;
}

const ada = { username: "ada", password: "s3cret" };
const refusal = { code: "action-refused", message: "cancelled" };

/** Fills in the dialog that is open, and sends it. */
async function fillIn({ username, password: secret }: Partial<typeof ada>, isRemembered = false): Promise<void> {
  const dialog = await shown();
  if (username !== undefined) await userEvent.fill(part(dialog, account), username);
  if (secret !== undefined) await userEvent.fill(part(dialog, password), secret);
  if (isRemembered) await userEvent.click(part(dialog, "input[type=checkbox]"));
  await userEvent.click(part(dialog, send));
}

/** The facts that the dialog shows about the requester, by name. */
function facts(dialog: HTMLElement): Record<string, string> {
  const names = [...dialog.querySelectorAll("dt")];
  return Object.fromEntries(names.map((name) => [name.textContent, name.nextElementSibling?.textContent ?? ""]));
}

test("the dialog names host, path, repository and the command that asks, as text", async () => {
  const asked = get({
    path: "ada/shop.git",
    repository: "/home/ada/<b>shop</b>",
    command: "git push \u202eorigin\u001b[2J",
  });
  const dialog = await shown();
  expect(part(dialog, "h2").textContent).toBe("Sign in to git.example.com");
  expect(facts(dialog)).toEqual({
    For: "https://git.example.com/ada/shop.git",
    Repository: "/home/ada/<b>shop</b>",
    Command: "git push ⟨U+202E⟩origin⟨U+001B⟩[2J",
  });
  expect(dialog.querySelector("b")).toBeNull();
  await fillIn(ada);
  expect(await asked).toEqual(ada);
  expect(hosts()).toEqual([]);
});

test("it is answered by keyboard alone, beginning at what is missing", async () => {
  const asked = get();
  await shown();
  await userEvent.keyboard("ada{Tab}s3cret{Enter}");
  expect(await asked).toEqual(ada);
  const named = get({ username: "bob" });
  await shown();
  await userEvent.keyboard("builder{Enter}");
  expect(await named).toEqual({ username: "bob", password: "builder" });
});

test("the account that git asks for stays as it is, and where there is none only a password is asked for", async () => {
  const named = get({ username: "bob" });
  const dialog = await shown();
  const field = part<HTMLInputElement>(dialog, account);
  expect([field.value, field.readOnly]).toEqual(["bob", true]);
  await fillIn({ password: "builder" });
  expect(await named).toEqual({ username: "bob", password: "builder" });
  const key = get({ protocol: "cert", host: "", path: "/home/ada/key", username: "" });
  const next = await shown();
  expect([next.querySelector(account), facts(next)]).toEqual([null, { For: "cert: /home/ada/key" }]);
  await fillIn({ password: "x" });
  expect(await key).toEqual({ username: "", password: "x" });
});

test("without an account and a password nothing is sent", async () => {
  const asked = get();
  const dialog = await shown();
  await userEvent.click(part(dialog, send));
  expect(dialog.open).toBe(true);
  await fillIn(ada);
  await asked;
});

test("the password is hidden, can be shown and hidden again, and is not for the browser to keep", async () => {
  const asked = get();
  const dialog = await shown();
  const field = part<HTMLInputElement>(dialog, password);
  const show = part(dialog, ".password button");
  expect([field.type, field.autocomplete, show.textContent]).toEqual(["password", "new-password", "Show"]);
  show.click();
  expect(field.type).toBe("password");
  await userEvent.click(show);
  expect([field.type, show.textContent]).toEqual(["text", "Hide"]);
  // Some browsers send text to a server to check its spelling.
  expect(field.spellcheck).toBe(false);
  await userEvent.click(show);
  expect(field.type).toBe("password");
  await fillIn(ada);
  await asked;
});

test("each field has a name for those who cannot see it", async () => {
  const asked = get();
  const dialog = await shown();
  const names = [...dialog.querySelectorAll("input")].map(
    ({ labels }) => labels?.[0]?.querySelector("span")?.firstChild?.textContent,
  );
  expect(names).toEqual(["Username", "Password or token", "Remember until this page is left"]);
  dialog.close();
  await expect(asked).rejects.toMatchObject(refusal);
});

test("a script can fill in, click, submit and send keys, and has not answered", async () => {
  const asked = get();
  const dialog = await shown();
  for (const input of dialog.querySelectorAll("input")) input.value = "forged";
  part(dialog, send).click();
  part(dialog, cancel).click();
  part<HTMLFormElement>(dialog, "form").requestSubmit();
  part(dialog, password).dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, composed: true }));
  expect(dialog.isConnected && dialog.open).toBe(true);
  await userEvent.click(part(dialog, cancel));
  await expect(asked).rejects.toMatchObject(refusal);
});

test("what was typed for the terminal when the dialog came up lands nowhere in it", async () => {
  const asked = get({ username: "ada" });
  const dialog = await justShown();
  await userEvent.keyboard("hunter2{Enter}");
  expect([dialog.open, part<HTMLInputElement>(dialog, password).value]).toEqual([true, ""]);
  await fillIn({ password: "s3cret" });
  expect(await asked).toEqual(ada);
});

test("what is typed here triggers no shortcut of the page", async () => {
  const heard = vi.fn<() => void>();
  const types = ["keydown", "keypress", "keyup"] as const;
  for (const type of types) document.addEventListener(type, heard);
  const asked = get();
  await shown();
  await userEvent.keyboard("ada{Tab}s3cret");
  for (const type of types) document.removeEventListener(type, heard);
  expect(heard).not.toHaveBeenCalled();
  await userEvent.keyboard("{Enter}");
  expect(await asked).toEqual(ada);
});

test("cancelling and closing are refusals", async () => {
  const declined = get();
  await userEvent.click(part(await shown(), cancel));
  await expect(declined).rejects.toMatchObject(refusal);
  const closed = get();
  await shown();
  await userEvent.keyboard("{Escape}");
  await expect(closed).rejects.toMatchObject(refusal);
});

test("the dialog of a caller that went away closes at once, and one that waits never opens", async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const asked = get({ path: "first" }, first.signal);
  const waiting = get({ path: "second" }, second.signal);
  const third = get({ path: "third" });
  await shown();
  second.abort();
  first.abort();
  await expect(asked).rejects.toMatchObject(refusal);
  await expect(waiting).rejects.toMatchObject(refusal);
  const dialog = await shown();
  expect(facts(dialog)["For"]).toBe("https://git.example.com/third");
  await fillIn(ada);
  expect(await third).toEqual(ada);
});

test("of several one is shown at a time, and what was entered to be remembered answers those that wait for it", async () => {
  const [first, second, other] = [get(), get(), get({ host: "other.example.com" })];
  await shown();
  expect(hosts()).toHaveLength(1);
  await fillIn(ada, true);
  expect([await first, await second]).toEqual([ada, ada]);
  expect(part(await shown(), "h2").textContent).toBe("Sign in to other.example.com");
  await fillIn({ username: "bob", password: "builder" });
  expect(await other).toEqual({ username: "bob", password: "builder" });
});

test("what is remembered does not wait until somebody has answered about something else", async () => {
  const first = get();
  await fillIn(ada, true);
  await first;
  const other = get({ host: "other.example.com" });
  await shown();
  expect(await get()).toEqual(ada);
  (await shown()).close();
  await expect(other).rejects.toMatchObject(refusal);
});

test("a helper that peeks gets what is remembered, and asks nobody where nothing is", async () => {
  expect(await run({ operation: "peek" })).toEqual({});
  const asked = get();
  await fillIn(ada, true);
  await asked;
  expect([await run({ operation: "peek" }), hosts().length]).toEqual([ada, 0]);
});

test("what was not to be remembered is asked for again, what was is not, until the page is left", async () => {
  const once = get();
  await fillIn(ada);
  await once;
  await run({ operation: "store", ...ada });
  const again = get();
  await fillIn(ada, true);
  await again;
  expect(await get()).toEqual(ada);
  expect(await get({ username: "ada" })).toEqual(ada);
  window.dispatchEvent(new PageTransitionEvent("pagehide"));
  const left = get();
  await fillIn(ada);
  await left;
  // Not their lengths: other files' tests run at this origin at the same time.
  const stored = JSON.stringify([localStorage, sessionStorage].map((storage) => Object.entries(storage)));
  expect(stored).not.toContain(ada.password);
});

test("after a refusal it is asked for again, and the dialog says what was refused, until one works", async () => {
  const first = get();
  await fillIn(ada, true);
  await first;
  await run({ operation: "erase", ...ada });
  const second = get();
  const dialog = await shown();
  expect(part(dialog, ".warning").textContent).toBe("The last password for “ada” was refused.");
  expect(part<HTMLInputElement>(dialog, account).value).toBe("ada");
  await userEvent.keyboard("better{Enter}");
  expect(await second).toEqual({ username: "ada", password: "better" });
  const third = get();
  expect((await shown()).querySelector(".warning")).toBeNull();
  (await shown()).close();
  await expect(third).rejects.toMatchObject(refusal);
});

test("a host with characters that cannot be seen is refused, and so is what is no text", async () => {
  for (const [name, value] of [
    ["host", "git.example.com\u202emoc.live"],
    ["host", "git.exa\u200bmple.com"],
    ["path", "a\nb"],
    ["username", "ada\u0000"],
    ["username", "a".repeat(5000)],
    ["host", "git.example.com\u3164"],
    ["host", "github.com @evil.example"],
    ["host", "github.com\u00a0.evil.example"],
    ["host", "github.com/.evil.example"],
    ["host", "github.com@evil.example"],
    ["host", "github.com?evil.example"],
    ["host", "github.com\\evil.example"],
    ["protocol", "https://github.com/?"],
  ] as const) {
    await expect(get({ [name]: value })).rejects.toMatchObject({ code: "action-refused" });
  }
  await expect(get({ host: 7 })).rejects.toThrow('"host" must be text.');
  await expect(get({ host: "" })).rejects.toThrow("A protocol and a host are needed");
  await expect(run({ operation: "look" })).rejects.toThrow("must be one of get, peek, store, erase");
  expect(hosts()).toEqual([]);
});

test("what a program says of an account is quoted, and a path alone is no host", async () => {
  await run({ operation: "erase", username: "ada was refused. Enter your other password. The last one" });
  const asked = get();
  expect(part(await shown(), ".warning").textContent).toMatch(/^The last password for “ada was.*…?” was refused\.$/);
  (await shown()).close();
  await expect(asked).rejects.toMatchObject(refusal);
  const key = get({ protocol: "cert", host: "", path: "github.com" });
  expect(part(await shown(), "h2").textContent).toBe("Sign in to cert: github.com");
  (await shown()).close();
  await expect(key).rejects.toMatchObject(refusal);
});

test("a host of other letters shows its name on the network, and an open connection is called open", async () => {
  const asked = get({ protocol: "http", host: "gіt.example.com:8080" });
  const dialog = await shown();
  expect(part(dialog, "h2").textContent).toBe("Sign in to gіt.example.com:8080 (xn--gt-hoc.example.com:8080)");
  expect(part(dialog, ".warning").textContent).toContain("not encrypted");
  dialog.close();
  await expect(asked).rejects.toMatchObject(refusal);
  const odd = get({ host: "2130706433:80" });
  expect(part(await shown(), "h2").textContent).toBe("Sign in to 2130706433:80 (127.0.0.1:80)");
  (await shown()).close();
  await expect(odd).rejects.toMatchObject(refusal);
  const local = get({ protocol: "http", host: "127.0.0.1:3000" });
  expect((await shown()).querySelector(".warning")).toBeNull();
  (await shown()).close();
  await expect(local).rejects.toMatchObject(refusal);
});

test("only the programs of a terminal may ask, and a person may take a quarter of an hour", () => {
  expect(action).toMatchObject({ name: "git_credential", options: { agents: "terminal", callTime: 900_000 } });
});
