import { PagewireError } from "pagewire/wire";
import type { ErrorCode } from "pagewire/wire";
import { afterEach, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { askAgain } from "./ask-again.tsx";
import { askToSignIn } from "./ask-to-sign-in.tsx";
import type { SignInProvider } from "./providers.ts";

const over = new AbortController();
afterEach(() => document.body.replaceChildren());

function ask({ code = "token-required" as ErrorCode, isFramed = false, providers = [] as SignInProvider[] } = {}) {
  const listeners = new Set<(token: string | undefined) => void>();
  const root = document.createElement("div");
  document.body.append(root);
  const answer = askToSignIn({
    root,
    problem: new PagewireError(code, "This is why."),
    ...{ isFramed, providers },
    signal: over.signal,
    onElsewhere(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  return { answer, root, tell: (token: string | undefined) => listeners.forEach((listener) => listener(token)) };
}

test("without a sign-in the page says how to, and takes a pasted link", async () => {
  const { answer, root } = ask();
  expect(root.querySelector("[role=alert]")?.textContent).toBe("This is why.");
  expect(root.querySelector(".command code")?.textContent).toBe("npx pagewire open");
  expect(document.activeElement).toBe(root.querySelector("input"));
  await userEvent.keyboard("npx pagewire open{Enter}");
  expect(root.querySelector("#code-problem")?.textContent).toContain("neither a code nor a link");
  await userEvent.keyboard("http://127.0.0.1:7337/#code=abcdefgh12{Enter}");
  expect(await answer).toBe("abcdefgh12");
});

test("a code that the hub does not take says why beside the field", () => {
  const { root } = ask({ code: "code-invalid" });
  const problem = root.querySelector("#code-problem");
  expect([problem?.textContent, problem?.role]).toEqual(["This is why.", "alert"]);
  expect(root.querySelectorAll("[role=alert]")).toHaveLength(1);
  expect(root.querySelector("input")?.ariaInvalid).toBe("true");
});

test("when another tab signs in, this one does not need to be asked", async () => {
  const { answer, tell } = ask();
  tell(undefined);
  tell("t2");
  expect(await answer).toBeUndefined();
});

test("a hub that does not answer is tried again, and no code is asked for", async () => {
  const { answer, root } = ask({ code: "hub-unreachable" });
  expect(root.querySelector("h1")?.textContent).toBe("The hub does not answer");
  expect(root.querySelector("input")).toBeNull();
  await userEvent.keyboard("{Enter}");
  expect(await answer).toBeUndefined();
});

test("inside another page it says that browsers keep the two apart, and offers a window of its own", () => {
  const { root } = ask({ isFramed: true });
  expect(root.querySelector(".notice")?.textContent).toContain("separate storage");
  expect(root.querySelector<HTMLAnchorElement>(".notice a")).toMatchObject({ target: "_blank", rel: "noopener" });
  expect(ask().root.querySelector(".notice")).toBeNull();
});

const providers = [{ name: "acme", title: "Acme" }];

test("at a hub of a team one signs in with the company's provider, in a frame in another tab", () => {
  const { root } = ask({ providers });
  const link = root.querySelector("a");
  expect([link?.textContent, link?.target]).toEqual(["Sign in with Acme", ""]);
  expect(document.activeElement).toBe(link);
  expect(new URL(link?.href ?? "").searchParams.get("returnTo")).toBe(location.pathname + location.search);
  const framed = ask({ providers, isFramed: true }).root.querySelector("a");
  expect([framed?.target, new URL(framed?.href ?? "").searchParams.get("returnTo")]).toEqual(["_blank", "/?signed-in"]);
});

test("to sign in again is asked over the page, until that is done or the person leaves", async () => {
  for (const isDone of [true, false]) {
    const again = new AbortController();
    const asked = askAgain({ problem: new PagewireError("token-expired", "Over."), providers, signal: again.signal });
    const dialog = document.querySelector("dialog");
    expect(dialog?.textContent).toContain("Over.");
    expect(dialog?.querySelector("a")).toMatchObject({ target: "_blank", textContent: "Sign in with Acme" });
    await userEvent.keyboard("{Escape}{Escape}");
    await expect.poll(() => dialog?.open).toBe(true);
    if (isDone) again.abort();
    else await userEvent.click(dialog?.querySelector("footer button") ?? document.body);
    await asked;
    expect(document.querySelector("dialog")).toBeNull();
  }
});
