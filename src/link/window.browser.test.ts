import { afterEach, describe, expect, test } from "vitest";
import { linkContract, recordLink } from "../testing/index.ts";
import { PagewireError } from "../wire/index.ts";
import type * as LinkFolder from "./index.ts";
import { createWindowLink } from "./window.ts";

const moduleUrl = new URL("./index.ts", import.meta.url).href;
const { origin } = location;
const frames: HTMLIFrameElement[] = [];

/** An iframe of this origin. */
async function openFrame(
  attributes: Record<string, string> = {},
): Promise<HTMLIFrameElement & { contentWindow: Window }> {
  const frame = document.createElement("iframe");
  for (const [name, value] of Object.entries({ srcdoc: "<!doctype html>", ...attributes }))
    frame.setAttribute(name, value);
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  document.body.append(frame);
  frames.push(frame);
  await loaded;
  return frame as HTMLIFrameElement & { contentWindow: Window };
}

/** Runs code inside an iframe of this origin, so that what it posts comes from that window. */
function inFrame(frame: { contentWindow: Window }, code: string): unknown {
  return (frame.contentWindow as Window & typeof globalThis).eval(code);
}

function nextMessage(): Promise<MessageEvent> {
  return new Promise((resolve) => window.addEventListener("message", resolve, { once: true }));
}

afterEach(() => {
  for (const frame of frames.splice(0)) frame.remove();
});

linkContract(
  "window",
  async () => {
    const frame = await openFrame();
    const inside = (await inFrame(frame, `import(${JSON.stringify(moduleUrl)})`)) as typeof LinkFolder;
    const left = createWindowLink({ self: window, target: frame.contentWindow, origin, channel: "test" });
    const right = inside.createWindowLink({ self: frame.contentWindow, target: window, origin, channel: "test" });
    return { left, right };
  },
  { bytes: true },
);

describe("window: who is listened to", () => {
  /** A link to an iframe, and a way for that iframe and others to post to this window. */
  async function listening() {
    const frame = await openFrame();
    const stranger = await openFrame();
    const record = recordLink(createWindowLink({ self: window, target: frame.contentWindow, origin, channel: "test" }));
    const post = (from: { contentWindow: Window }, data: unknown) => {
      const send = inFrame(from, "(to, data, origin) => to.postMessage(data, origin)") as (...parts: unknown[]) => void;
      send(window, data, origin);
    };
    return { frame, stranger, record, post };
  }

  test("L29: only the target window is heard, not another of the same origin", async () => {
    const { frame, stranger, record, post } = await listening();
    post(stranger, { pagewire: "test", message: "forged" });
    post(stranger, { pagewire: "test", close: { code: 4000, reason: "forged" } });
    window.postMessage({ pagewire: "test", message: "forged" }, origin);
    post(frame, { pagewire: "test", message: "true" });
    expect(await record.received(1)).toEqual(["true"]);
    expect(record.closings).toEqual([]);
  });

  test("L29: the target window is not heard when its origin is another", async () => {
    const frame = await openFrame({
      sandbox: "allow-scripts",
      srcdoc: sandboxed("parent.postMessage({ pagewire: 'test', message: 'forged' }, '*')"),
    });
    const record = recordLink(createWindowLink({ self: window, target: frame.contentWindow, origin, channel: "test" }));
    const heard = nextMessage();
    frame.contentWindow.postMessage("go", "*");
    const event = await heard;
    expect([event.source === frame.contentWindow, event.origin, event.data.message]).toEqual([true, "null", "forged"]);
    expect([record.messages, record.closings]).toEqual([[], []]);
  });

  test("L29: other channels and whatever else a page posts are ignored", async () => {
    const { frame, record, post } = await listening();
    for (const data of [
      null,
      "text",
      7,
      [],
      {},
      { pagewire: "other", message: "not for us" },
      { message: "no channel" },
      { pagewire: "test" },
      { pagewire: "test", message: 7 },
      { pagewire: "test", close: {} },
      { pagewire: "test", close: { code: "4000", reason: "" } },
    ]) {
      post(frame, data);
    }
    post(frame, { pagewire: "test", message: "true" });
    expect(await record.received(1)).toEqual(["true"]);
    expect(record.closings).toEqual([]);
  });
});

describe("window: another origin", () => {
  const otherOrigin = origin.replace("localhost", "127.0.0.1");

  /** A window at the other origin that echoes; it listens to this origin. */
  function openOther(): Window {
    const peer = new URL("./window.test-peer.xhtml", import.meta.url).pathname;
    const frame = document.createElement("iframe");
    frame.src = `${otherOrigin}${peer}#${encodeURIComponent(origin)}`;
    document.body.append(frame);
    frames.push(frame);
    return frame.contentWindow as Window;
  }

  test("L29: windows of two origins that name each other exactly are linked, until either closes", async () => {
    expect(otherOrigin).not.toBe(origin);
    const target = openOther();
    const link = createWindowLink({ self: window, target, origin: otherOrigin, channel: "test" });
    const record = recordLink(link);
    await record.received(1);
    link.send("there and back");
    link.send(Uint8Array.of(1, 2));
    expect(await record.received(3)).toEqual(["ready", "there and back", Uint8Array.of(1, 2)]);
    const ended = nextMessage();
    link.close({ code: 4000, reason: "done" });
    expect((await ended).data).toEqual({ ended: { code: 4000, reason: "done" } });
  });

  test("L29: the target window is not heard when it is at another origin than the one that was named", async () => {
    const target = openOther();
    const record = recordLink(createWindowLink({ self: window, target, origin, channel: "test" }));
    const event = await nextMessage();
    expect([event.source === target, event.origin, event.data.message]).toEqual([true, otherOrigin, "ready"]);
    expect([record.messages, record.closings]).toEqual([[], []]);
  });
});

describe("window: whom it speaks to", () => {
  test("L30: a window that has gone to another origin is not sent a word", async () => {
    const report = "parent.postMessage({ heard: data }, '*')";
    const frame = await openFrame({ sandbox: "allow-scripts", srcdoc: sandboxed(report) });
    const link = createWindowLink({ self: window, target: frame.contentWindow, origin, channel: "test" });
    const heard = nextMessage();
    link.send("secret");
    link.close({ code: 4000, reason: "secret" });
    frame.contentWindow.postMessage("for anyone", "*");
    expect((await heard).data).toEqual({ heard: "for anyone" });
  });

  test("L31: an origin that is not one exact origin is refused", () => {
    for (const wrong of ["*", "/", "null", "", "https://shop.example/", "https://shop.example/path", "shop.example"]) {
      const create = () => createWindowLink({ self: window, target: window, origin: wrong, channel: "test" });
      expect(create).toThrow(PagewireError);
      expect(create).toThrow(`not "${wrong}"`);
    }
  });
});

/** A document that runs a line of code at each message; `data` is what came. */
function sandboxed(code: string): string {
  return `<!doctype html><script>addEventListener("message", ({ data }) => { ${code} })</script>`;
}
