import { expect, test } from "vitest";
import { openSession, scriptSession } from "./scripted-hub.test-helper.ts";

test("a code is exchanged for a token, which the browser stores and sends from then on", async () => {
  const { session, settle, storage, reconnect, ...script } = scriptSession({ code: "code-12345678" });
  session.resize({ columns: 80, rows: 24 });
  await settle();
  expect(script.ends[0]?.sent).toEqual([{ type: "hello", version: 1, code: "code-12345678" }]);
  script.ends[0]?.welcome({ token: "fresh-token" });
  await settle();
  expect(storage.kept).toBe("fresh-token");
  script.ends[0]?.cut();
  await reconnect();
  expect(script.ends[1]?.sent).toEqual([{ type: "hello", version: 1, token: "fresh-token" }]);
});

test("a code is sent together with a stored token, so that a link with a used code is harmless", async () => {
  const script = scriptSession({ code: "code-12345678", kept: "kept-token" });
  await script.settle();
  expect(script.hub.sent).toEqual([{ type: "hello", version: 1, code: "code-12345678", token: "kept-token" }]);
});

test("without a credential, the view does not connect until the user enters a code", async () => {
  const script = scriptSession();
  await script.settle();
  expect(script.session.state).toMatchObject({ status: "signed-out", code: "token-required" });
  await script.reconnect();
  expect(script.ends.flatMap(({ sent }) => sent)).toEqual([]);
  const before = script.ends.length;
  script.session.useCode("code-12345678");
  expect(script.session.state.status).toBe("connecting");
  await script.settle();
  expect(script.ends.length).toBe(before + 1);
  expect(script.hub.sent).toEqual([{ type: "hello", version: 1, code: "code-12345678" }]);
});

test("a wrong code and an ended sign-in are reported, and the stored token is removed", async () => {
  const wrong = scriptSession({ code: "code-wrong-one" });
  await wrong.settle();
  wrong.hub.refuse("token-invalid", "This code was used before, or is too old.");
  await wrong.settle();
  expect(wrong.session.state).toEqual({
    status: "signed-out",
    code: "token-invalid",
    message: "This code was used before, or is too old.",
  });
  const over = scriptSession({ kept: "old-token" });
  await over.settle();
  over.hub.refuse("token-expired", "Bring a new code.");
  await over.settle();
  expect([over.session.state.status, over.storage.kept]).toEqual(["signed-out", undefined]);
});

test("a code that was entered in another tab signs in this one too", async () => {
  const script = scriptSession();
  await script.settle();
  script.storage.kept = "token-of-another-tab";
  script.session.signedInElsewhere();
  await script.settle();
  expect(script.hub.sent).toEqual([{ type: "hello", version: 1, token: "token-of-another-tab" }]);
});

test("the app's token is requested for each connection, and once more if the hub refuses it", async () => {
  let count = 0;
  const script = scriptSession({ token: async () => `jwt-${++count}` });
  await script.settle();
  expect(script.hub.sent).toMatchObject([{ token: "jwt-1" }]);
  script.hub.refuse("token-expired");
  await script.settle();
  expect(script.hub.sent).toMatchObject([{ token: "jwt-2" }]);
  script.hub.refuse("token-expired");
  await script.reconnect();
  expect([script.session.state.status, count]).toEqual(["signed-out", 2]);
});

test("an app that fails to get a token is asked again", async () => {
  let isDown = true;
  const token = async () => {
    if (isDown) throw new Error("the app's server is down");
    return "jwt";
  };
  const script = scriptSession({ token });
  await script.settle();
  expect(script.session.state).toMatchObject({ status: "reconnecting" });
  expect(script.session.state.message).toContain("the app's server is down");
  isDown = false;
  await script.reconnect();
  expect(script.hub.sent).toMatchObject([{ type: "hello", token: "jwt" }]);
});

test("signing out notifies the hub, removes the stored token, and asks for a code again", async () => {
  const script = await openSession();
  script.session.signOut();
  await script.settle();
  expect(script.hub.of("sign-out")).toHaveLength(1);
  expect([script.session.state.status, script.storage.kept]).toEqual(["signed-out", undefined]);
  await script.reconnect();
  expect(script.ends).toHaveLength(1);
  expect(script.ends[0]?.isClosed).toBe(true);
});
