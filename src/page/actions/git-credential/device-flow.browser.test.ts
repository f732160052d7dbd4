import axe from "axe-core";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { browserTab } from "../../browser/browser-tab.ts";
import { hosts, openShadowRoots, part, shown } from "../../dialog/dialog.test-helper.ts";
import type { Action } from "../registration/action.ts";
import { gitCredential } from "./git-credential.ts";

openShadowRoots();

let action: Action;

beforeEach(() => {
  action = gitCredential();
});
afterEach(() => void window.dispatchEvent(new PageTransitionEvent("pagehide")));

/** Runs the action as the git helper of the other project does. */
async function run(operation: string, input: Record<string, unknown> = {}): Promise<unknown> {
  const nothing = () => {};
  const { signal } = new AbortController();
  const context = { signal, callId: "1", agent: { name: "git" }, hub: undefined, progress: nothing, chunk: nothing };
  return action.handler({ operation, protocol: "https", host: "github.com", ...input }, context);
}

const code = { user_code: "ABCD-1234", verification_uri: "https://github.com/login/device" };
const ok = { status: "ok" };
const noDialog = () => vi.waitUntil(() => hosts().length === 0);

test("a code is shown at once, to be copied and entered at a page that is opened by a click", async () => {
  const copied = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  expect(await run("device_flow_show", code)).toEqual(ok);
  const dialog = await shown();
  expect(part(dialog, "h2").textContent).toBe("Sign in to github.com");
  // The hub lists it, though the call that opened it has ended.
  expect(browserTab().describe().dialog).toBe("Sign in to github.com");
  expect(part(dialog, "output").textContent).toBe("ABCD-1234");
  const link = part<HTMLAnchorElement>(dialog, "a");
  expect([link.href, link.target, link.rel, link.textContent]).toEqual([
    code.verification_uri,
    "_blank",
    "noopener noreferrer",
    "Open github.com",
  ]);
  expect(dialog.querySelector("[type=submit]")).toBeNull();
  const copy = part(dialog, "button");
  copy.click();
  expect(copied).not.toHaveBeenCalled();
  await userEvent.click(copy);
  expect(copied.mock.calls).toEqual([["ABCD-1234"]]);
  await vi.waitUntil(() => copy.textContent === "Copied");
  await userEvent.keyboard("{Escape}");
  await noDialog();
});

test("the time that is left is shown where the program says it, and its end", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  await run("device_flow_show", { ...code, expires_in: 61 });
  const dialog = await shown();
  expect(part(dialog, "[role=timer]").textContent).toMatch(/^The code is good for (1:0\d|0:5\d)\.$/);
  await vi.advanceTimersByTimeAsync(61_000);
  expect(dialog.querySelector("output, a, [role=timer]")).toBeNull();
  expect(part(dialog, "[role=status]").textContent).toBe("The code has expired. Run the command again.");
  dialog.close();
});

test("a code of GitHub's is good for a quarter of an hour where the program does not say, and another host's is not counted", async () => {
  await run("device_flow_show", code);
  expect(part(await shown(), "[role=timer]").textContent).toMatch(/^The code is good for 1(5:00|4:5\d)\.$/);
  await run("device_flow_done");
  await noDialog();
  await run("device_flow_show", { ...code, host: "git.example.com", verification_uri: "https://git.example.com/" });
  expect(part(await shown(), "[role=timer]").textContent).toBe("");
});

test("what the program says next takes the dialog away, or tells why there is no sign-in", async () => {
  await run("device_flow_show", code);
  await shown();
  expect(await run("device_flow_done")).toEqual(ok);
  await noDialog();
  await run("device_flow_show", code);
  const dialog = await shown();
  expect(await run("device_flow_error", { error: "Access <b>denied</b>\u202e" })).toEqual(ok);
  expect(part(dialog, "[role=status]").textContent).toBe("Access <b>denied</b>⟨U+202E⟩");
  expect(dialog.querySelector("output, a")).toBeNull();
  expect(await run("device_flow_error")).toEqual(ok);
  expect(part(dialog, "[role=status]").textContent).toBe("The sign-in failed.");
  await userEvent.click(part(dialog, "footer button"));
  await noDialog();
  // A password may be requested instead.
  const asked = run("get");
  expect(part(await shown(), "#password")).toBeTruthy();
  (await shown()).close();
  await expect(asked).rejects.toMatchObject({ code: "action-refused" });
});

test("the code is reached and copied by the keyboard alone, and axe finds nothing in its dialog, nor in a failed one", async () => {
  const copied = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  await run("device_flow_show", { ...code, expires_in: 899 });
  const dialog = await shown();
  vi.useRealTimers();
  const findings = async () => (await axe.run(dialog)).violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
  expect(await findings()).toEqual([]);
  await userEvent.keyboard("{Enter}");
  await vi.waitUntil(() => copied.mock.calls.length === 1);
  await userEvent.keyboard("{Tab}");
  expect((dialog.getRootNode() as ShadowRoot).activeElement).toBe(part(dialog, "a"));
  await run("device_flow_error", { error: "Authorization denied." });
  expect((dialog.getRootNode() as ShadowRoot).activeElement).toBe(part(dialog, "[role=status]"));
  expect(await findings()).toEqual([]);
  await userEvent.keyboard("{Escape}");
  await noDialog();
});

test("the token is remembered until the page is left if its user ticked so before the sign-in was done", async () => {
  const token = { username: "x-access-token", password: "gho_given" };
  await run("device_flow_show", code);
  await shown();
  await run("device_flow_done");
  await run("store", token);
  expect(await run("peek")).toEqual({});
  await noDialog();
  await run("device_flow_show", code);
  await userEvent.click(part(await shown(), "[type=checkbox]"));
  await run("device_flow_done");
  expect(await run("peek")).toEqual({});
  await run("store", token);
  expect([await run("peek"), await run("get")]).toEqual([token, token]);
  await run("erase", token);
  expect(await run("peek")).toEqual({});
  await noDialog();
});

test("a tick counts for its own sign-in only: the next one that is not ticked is not remembered", async () => {
  await run("device_flow_show", code);
  await userEvent.click(part(await shown(), "[type=checkbox]"));
  await run("device_flow_done");
  await noDialog();
  await run("device_flow_show", code);
  await shown();
  await run("device_flow_done");
  await run("store", { username: "x-access-token", password: "gho_second" });
  expect(await run("peek")).toEqual({});
  await noDialog();
});

test("a dialog that its person closed stays closed, and one that was never there is no error", async () => {
  await run("device_flow_show", code);
  (await shown()).close();
  await noDialog();
  expect([await run("device_flow_error", { error: "Expired." }), await run("device_flow_done")]).toEqual([ok, ok]);
  expect(hosts()).toEqual([]);
});

test("another code for the same host takes the place of the first, and a page that is left keeps none", async () => {
  await run("device_flow_show", code);
  await shown();
  await run("device_flow_show", { ...code, user_code: "WXYZ-9" });
  await vi.waitFor(async () => expect(part(await shown(), "output").textContent).toBe("WXYZ-9"));
  window.dispatchEvent(new PageTransitionEvent("pagehide"));
  await noDialog();
});

test("only an https page is shown, one of another host with a warning, and a code only as it is", async () => {
  for (const uri of [
    "http://github.com/login/device",
    "javascript:alert(1)",
    "https://github.com@evil.example/",
    "github.com",
    "",
  ]) {
    await expect(run("device_flow_show", { ...code, verification_uri: uri })).rejects.toMatchObject({
      code: "action-refused",
    });
  }
  for (const user_code of ["", " ", "x".repeat(65), "A\u202eB", undefined]) {
    await expect(run("device_flow_show", { ...code, user_code })).rejects.toMatchObject({ code: "action-refused" });
  }
  expect(hosts()).toEqual([]);
  await run("device_flow_show", { ...code, verification_uri: "https://gіthub.com/login" });
  const dialog = await shown();
  expect(part(dialog, "a").textContent).toBe("Open xn--gthub-n2e.com");
  expect(part(dialog, ".warning").textContent).toBe("The page is at xn--gthub-n2e.com, not at github.com.");
});
