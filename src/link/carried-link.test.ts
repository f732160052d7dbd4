import { expect, test, vi } from "vitest";
import { recordLink } from "../testing/index.ts";
import { closeCodes, closeReason, cutOff } from "../wire/index.ts";
import { createCarriedLink } from "./carried-link.ts";
import { createMemoryLinks } from "./memory.ts";

test("a send that the carrier refuses closes the link with the reason; it does not throw", async () => {
  const closings: unknown[] = [];
  const { link } = createCarriedLink({
    queuedBytes: 0,
    send() {
      throw new TypeError("no more room");
    },
    close: (reason) => closings.push(reason),
  });
  const record = recordLink(link);
  link.send("message");
  expect(link.open).toBe(false);
  const reason = { code: closeCodes["internal-error"], reason: "The message could not be sent: no more room" };
  expect(await record.closed).toEqual(reason);
  expect(closings).toEqual([reason]);
});

test("L12: messages that a carrier delivers after the close are dropped", async () => {
  const { link, receive, end } = createCarriedLink({ queuedBytes: 0, send() {}, close() {} });
  const record = recordLink(link);
  receive("in time");
  end(cutOff);
  receive("late");
  end(closeReason("normal"));
  await record.closed;
  await Promise.resolve();
  expect([record.messages, record.closings]).toEqual([["in time"], [cutOff]]);
});

test("L12: closing after the peer has closed drops the messages that were still to come", async () => {
  const { link, receive, end } = createCarriedLink({ queuedBytes: 0, send() {}, close() {} });
  receive("first");
  receive("second");
  end(cutOff);
  const record = recordLink(link, () => link.close());
  expect(await record.closed).toEqual(cutOff);
  expect(record.messages).toEqual(["first"]);
});

test("a carrier that throws on close does not keep the link from closing", async () => {
  const { link } = createCarriedLink({
    queuedBytes: 0,
    send() {
      throw new TypeError("no more room");
    },
    close() {
      throw new TypeError("gone already");
    },
  });
  const record = recordLink(link);
  link.send("message");
  expect((await record.closed).code).toBe(closeCodes["internal-error"]);
});

test("a listener that throws is reported, and its link is closed with internal-error", async () => {
  const toConsole = vi.spyOn(console, "error").mockImplementation(() => {});
  const [near, far] = createMemoryLinks();
  const broken = new Error("broken");
  const record = recordLink(near, () => {
    throw broken;
  });
  const peer = recordLink(far);
  far.send("one");
  far.send("two");
  expect(await record.closed).toEqual(closeReason("internal-error"));
  expect(await peer.closed).toEqual(closeReason("internal-error"));
  expect(record.messages).toEqual(["one"]);
  expect(toConsole.mock.calls).toEqual([[broken]]);
  toConsole.mockRestore();
});

test("a listener that throws on the close is reported", async () => {
  const toConsole = vi.spyOn(console, "error").mockImplementation(() => {});
  const [near] = createMemoryLinks();
  const broken = new Error("broken");
  near.start({
    message() {},
    closed() {
      throw broken;
    },
  });
  near.close();
  await Promise.resolve();
  expect(toConsole.mock.calls).toEqual([[broken]]);
  toConsole.mockRestore();
});
