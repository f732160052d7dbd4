import { expect, test } from "vitest";
import { startDoor } from "./terminal.test-helper.ts";

test.each([{ tmux: false }, { tmux: true }])(
  "terminals are listed for their own user with program, size, views and tab, and ended: %o",
  async (options) => {
    const { door, tabs, open } = startDoor(options);
    tabs.add("ann one");
    const view = await open({ columns: 100, rows: 30, name: "build" });
    view.send({ type: "here", tab: "one", focused: true });
    view.type("sleep 1000\r");
    const { terminal: id } = view.opened;
    const whole = { id, name: "build", columns: 100, rows: 30, views: 1, tab: "one", program: "sleep" };
    await expect
      .poll(() => door.list("ann"), { timeout: 10_000 })
      .toEqual([{ ...whole, createdAt: expect.any(Number) }]);
    view.link.close();
    await expect.poll(() => door.list("ann")).toMatchObject([{ id, views: 0, program: "sleep" }]);
    expect(await door.list("bob")).toEqual([]);
    await expect(door.end("bob", id)).rejects.toMatchObject({ code: "terminal-not-found" });
    await door.end("ann", id);
    expect(await door.list("ann")).toEqual([]);
    await expect(door.end("ann", id)).rejects.toMatchObject({ code: "terminal-not-found" });
  },
);
