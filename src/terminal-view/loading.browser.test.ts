import { expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { PagewireError } from "../wire/index.ts";
import * as loading from "./screen/load-xterm.ts";
import { mount, scriptSockets, welcome } from "./view.test-helper.ts";

vi.mock("./screen/load-xterm.ts", { spy: true });

const missing = new PagewireError("part-missing", "What draws terminals could not be loaded.");

test("a failed load is repeated on retry, and no shell is opened before", async () => {
  vi.mocked(loading.loadXterm).mockRejectedValueOnce(missing);
  const sockets = scriptSockets();
  const onError = vi.fn<(error: unknown) => void>();
  const { button, find, reads, view } = mount({ token: "jwt", onError });
  await vi.waitFor(() => expect(view.state).toMatchObject({ status: "refused", code: "part-missing" }));
  expect([onError.mock.calls[0]?.[0], sockets.ends.flatMap((end) => end.of("open"))]).toEqual([missing, []]);
  await userEvent.click(button("Try again"));
  const end = await welcome(sockets);
  end.output(0, "here");
  await reads("here");
  expect(find(".panel").hidden).toBe(true);
});

test("a closed view reports no failed load", async () => {
  let fail = (): void => {};
  const failing = new Promise<never>((_resolve, reject) => (fail = () => reject(missing)));
  vi.mocked(loading.loadXterm).mockReturnValueOnce(failing);
  scriptSockets();
  const onEvent = vi.fn<() => void>();
  const { view } = mount({ token: "jwt", onError: onEvent, onState: onEvent });
  view.close();
  onEvent.mockClear();
  fail();
  await expect(failing).rejects.toBe(missing);
  await new Promise((resolve) => setTimeout(resolve));
  expect(onEvent).not.toHaveBeenCalled();
});
