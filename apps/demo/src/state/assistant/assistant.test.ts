import { expect, test } from "vitest";
import { createAssistant } from "./assistant.ts";
import type { AssistantOptions } from "./assistant.ts";

type Callbacks = Parameters<AssistantOptions["createBridge"]>[0];

/** An assistant whose bridge records the messages that it receives. */
function createUnderTest({ isBlocked = false } = {}) {
  const told: string[] = [];
  let callbacks: Callbacks = {};
  const browser = { isBlocked };
  const frame = { replaceChildren() {} } as HTMLElement;
  const assistant = createAssistant({
    frame,
    createBridge(given) {
      callbacks = given;
      return {
        openAgent() {
          told.push("open");
          callbacks.onConnectionChange?.("connecting", "disconnected", undefined);
          if (browser.isBlocked) callbacks.onConnectionChange?.("disconnected", "connecting", "popup-blocked");
          return browser.isBlocked ? null : ({} as Window);
        },
        closeAgent() {
          told.push("close");
          callbacks.onConnectionChange?.("disconnected", "connected", "closed");
        },
        injectMessage: (message, options) => void told.push(`${message} ${options?.autoSend ? "sent" : "proposed"}`),
        mount(element) {
          told.push(element === frame ? "mount" : "mount elsewhere");
          callbacks.onConnectionChange?.("connecting", "disconnected", undefined);
          return {} as HTMLIFrameElement;
        },
      };
    },
  });
  return { assistant, told, browser, callbacks };
}

test("the assistant opens in a window, and reports its place and state", () => {
  const { assistant, told, callbacks } = createUnderTest();
  expect(assistant.get()).toEqual({ connection: "disconnected", reason: undefined, place: undefined });
  assistant.open();
  callbacks.onConnectionChange?.("connected", "connecting", undefined);
  expect(told).toEqual(["open"]);
  expect(assistant.get()).toEqual({ connection: "connected", reason: undefined, place: "window" });
  callbacks.onConnectionChange?.("disconnected", "connected", "closed-by-user");
  expect(assistant.get()).toEqual({ connection: "disconnected", reason: "closed-by-user", place: undefined });
});

test("asking opens the assistant, and sends only questions that are marked for it; others are proposed", () => {
  const { assistant, told } = createUnderTest();
  assistant.ask({ text: "Why?" });
  assistant.ask({ text: "Sum up.", isSent: true });
  expect(told).toEqual(["open", "Why? proposed", "open", "Sum up. sent"]);
});

test("a question whose window was blocked is put once the assistant is open, in the page or in a window", () => {
  const { assistant, told } = createUnderTest({ isBlocked: true });
  assistant.ask({ text: "Why?" });
  expect(told).toEqual(["open"]);
  assistant.openHere();
  expect(told).toEqual(["open", "mount", "Why? proposed"]);
  expect(assistant.get().place).toBe("page");
  assistant.ask({ text: "And then?" });
  expect(told.slice(3)).toEqual(["And then? proposed"]);

  const other = createUnderTest({ isBlocked: true });
  other.assistant.ask({ text: "Why?" });
  other.browser.isBlocked = false;
  other.assistant.open();
  expect(other.told).toEqual(["open", "open", "Why? proposed"]);
});

test("closing gives up a question that could not be put", () => {
  const { assistant, told, browser } = createUnderTest({ isBlocked: true });
  assistant.ask({ text: "Why?" });
  assistant.close();
  browser.isBlocked = false;
  assistant.open();
  expect(told).toEqual(["open", "close", "open"]);
});

test("a window that this tab had open is its assistant again", () => {
  const { assistant, callbacks } = createUnderTest();
  callbacks.onConnectionChange?.("connecting", "disconnected", undefined);
  callbacks.onConnectionChange?.("connected", "connecting", undefined);
  expect(assistant.get()).toEqual({ connection: "connected", reason: undefined, place: "window" });
});

test("within the page the assistant stays in sight, also when it does not answer, until it is closed", () => {
  const { assistant, callbacks } = createUnderTest();
  assistant.openHere();
  callbacks.onConnectionChange?.("disconnected", "connecting", "not-responding");
  expect(assistant.get()).toMatchObject({ connection: "disconnected", place: "page" });
  callbacks.onConnectionChange?.("connecting", "disconnected", undefined);
  callbacks.onConnectionChange?.("connected", "connecting", undefined);
  expect(assistant.get()).toMatchObject({ connection: "connected", place: "page" });
  assistant.close();
  expect(assistant.get()).toMatchObject({ connection: "disconnected", place: undefined });
});
