import { expect, test, vi } from "vitest";
import type { Link, LinkEvents } from "../../link/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { closeReason, encodeText } from "../../wire/index.ts";
import { connectShell } from "./shell-connection.ts";

test("a connection that was left tells nothing of what its socket still hears, nor of how that ends", async () => {
  const clock = createFakeClock();
  let hear: LinkEvents | undefined;
  // A socket closes asynchronously, and reports it when the other side has closed too.
  const link: Link = { open: true, queuedBytes: 0, send() {}, close() {}, start: (events) => void (hear = events) };
  const told = vi.fn<() => void>();
  const heard = { onWelcome: told, onFrame: told, onWaiting: told, onRefused: told };
  const prove = async () => ({ token: "kept-token" });
  const connection = connectShell({ clock, random: () => 0.5, openLink: async () => link, prove, ...heard });
  await clock.advance(0);
  connection.close();
  hear?.message(encodeText({ type: "welcome", version: 1, terminals: [], tmux: false, heartbeat: 15_000 }));
  hear?.closed(closeReason("token-expired", "Bring a new code."));
  expect([told.mock.calls, clock.pending]).toEqual([[], 0]);
});
