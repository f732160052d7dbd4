import { expect, test, vi } from "vitest";
import type { Link, LinkEvents } from "../../link/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { closeReason, encodeText } from "../../wire/index.ts";
import { connectShell } from "./shell-connection.ts";

test("a closed connection reports neither later messages of its socket nor its end", async () => {
  const clock = createFakeClock();
  let events: LinkEvents | undefined;
  // A socket closes asynchronously, and reports it when the other side has closed too.
  const link: Link = { open: true, queuedBytes: 0, send() {}, close() {}, start: (given) => void (events = given) };
  const onEvent = vi.fn<() => void>();
  const callbacks = { onWelcome: onEvent, onFrame: onEvent, onWaiting: onEvent, onRefused: onEvent };
  const prove = async () => ({ token: "kept-token" });
  const connection = connectShell({ clock, random: () => 0.5, openLink: async () => link, prove, ...callbacks });
  await clock.advance(0);
  connection.close();
  events?.message(encodeText({ type: "welcome", version: 1, terminals: [], tmux: false, heartbeat: 15_000 }));
  events?.closed(closeReason("token-expired", "Bring a new code."));
  expect([onEvent.mock.calls, clock.pending]).toEqual([[], 0]);
});
