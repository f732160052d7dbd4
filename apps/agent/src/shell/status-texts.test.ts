import { expect, test, vi } from "vitest";
import {
  hubNotice,
  hubStanding,
  modelNotice,
  modelStanding,
  parentNotice,
  parentStanding,
  titleFor,
} from "./status-texts.ts";

const remedies = { checkAgain: vi.fn<() => void>(), takeOver: vi.fn<() => void>() };
const origin = "http://app.test:3000";
const connected = { kind: "connected", origin, tools: [], via: "port", relay: "open" } as const;

test("the provider is named, a rehearsal is called one, and where there is none that is put right", () => {
  const model = { provider: "openai", models: ["gpt-x", "gpt-y"], isRehearsal: false };
  expect(modelStanding(model)).toEqual({ text: "openai", tone: "ok" });
  expect(modelStanding({ ...model, isRehearsal: true }).text).toBe("Rehearsal model");
  expect(modelStanding(null)).toEqual({ text: "No model", tone: "bad" });
  expect(modelNotice({ model, mode: "local" })).toBeUndefined();
  expect(modelNotice({ model: null, mode: "local" })?.command).toContain("npx pagewire");
});

test("in team mode a missing model is a matter for the organisation's administrator, who gets to its place in the console", () => {
  const opened = vi.fn<typeof window.open>();
  vi.stubGlobal("open", opened);
  const me = { organisation: "acme", name: "Ada", isAdmin: false };
  const person = modelNotice({ model: null, mode: "team", me });
  expect(person?.text).toContain("Your organisation has no model that can be used");
  expect(person?.text).toContain("Its administrator can set one");
  expect(person?.action).toBeUndefined();
  const admin = modelNotice({ model: null, mode: "team", me: { ...me, isAdmin: true } });
  admin?.action?.run();
  expect(opened.mock.calls).toEqual([["/console#/organisation/model", "_blank", "noopener"]]);
  vi.unstubAllGlobals();
});

test("the text explains the connection to the hub, or why there is none", () => {
  const model = { provider: "openai", models: [], isRehearsal: false };
  expect(hubStanding("open", model)).toEqual({ text: "Connected", tone: "ok" });
  expect(hubStanding("waiting", model)?.text).toBe("The hub does not answer");
  expect(hubStanding("waiting", null)).toBeUndefined();
  expect(hubNotice("open", null)).toBeUndefined();
  expect(hubNotice("connecting", null)).toBeUndefined();
  expect(hubNotice("waiting", null)?.command).toBe("npx pagewire");
  expect(hubNotice("closed", new Error("Not you."))?.text).toBe("Not you.");
  expect(hubNotice("closed", null)?.text).toContain("ended the connection");
});

test("the text names the app's host and its number of tools", () => {
  const tool = { name: "a", description: "", parameters: {} };
  expect(parentStanding({ kind: "none" })).toBeUndefined();
  expect(parentStanding({ kind: "waiting" })?.text).toBe("Waiting for the app");
  expect(parentStanding({ ...connected, tools: [tool] })).toEqual({ text: "app.test:3000, 1 tool", tone: "ok" });
  expect(parentStanding({ ...connected, relay: "waiting" })?.tone).toBe("wait");
  expect(parentStanding({ kind: "lost", origin })?.text).toContain("does not answer");
  expect(parentNotice({ kind: "lost", origin }, remedies)?.text).toContain(origin);
  expect(parentNotice(connected, remedies)).toBeUndefined();
});

test("an origin that is not allowed is named, with the one command that allows it", () => {
  const notice = parentNotice({ kind: "refused", origin }, remedies);
  expect(notice).toMatchObject({ text: expect.stringContaining(origin), command: `npx pagewire allow ${origin}` });
  notice?.action?.run();
  expect(remedies.checkAgain).toHaveBeenCalledOnce();
});

test("the window is titled by its page's title, or by its host where the page has none", () => {
  expect(titleFor({ ...connected, title: "Sales\u202E" })).toBe("Assistant · Sales⟨U+202E⟩");
  expect(titleFor(connected)).toBe("Assistant · app.test:3000");
  expect(titleFor({ kind: "lost", origin })).toBe("Pagewire");
});

test("a conversation that another window has can be taken over", () => {
  const notice = parentNotice({ ...connected, relay: "replaced" }, remedies);
  expect(notice?.action?.label).toBe("Use it here");
  notice?.action?.run();
  expect(remedies.takeOver).toHaveBeenCalledOnce();
});
