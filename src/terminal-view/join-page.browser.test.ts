import { expect, onTestFinished, test, vi } from "vitest";
import type { Page } from "../page/index.ts";
import { pageToolboxes } from "../toolbox/index.ts";
import type { LocalToolbox } from "../toolbox/index.ts";
import { joinPage } from "./join-page.ts";
import { fakePage, hub } from "./view.test-helper.ts";

/** Replaces sockets until the test ends; they ignore all messages. Records the sockets and their messages. */
function countSockets(sent: string[] = []): string[] {
  const open: string[] = [];
  class DeafSocket extends EventTarget {
    readyState = 0;
    bufferedAmount = 0;
    onopen: (() => void) | undefined;
    onclose: unknown;
    readonly url: string;

    constructor(url: string | URL) {
      super();
      this.url = String(url);
      open.push(this.url);
      queueMicrotask(() => {
        this.readyState = 1;
        this.onopen?.();
      });
    }

    send(data: string): void {
      sent.push(data);
    }

    close(): void {}
  }
  vi.stubGlobal("WebSocket", DeafSocket);
  onTestFinished(() => void vi.unstubAllGlobals());
  return open;
}

function join(page?: Page, at = hub) {
  const onTab = vi.fn<() => void>();
  const onError = vi.fn<(error: unknown) => void>();
  const beep = { name: "beep", handler: () => "Beep.", options: {} };
  return Object.assign(joinPage({ hub: at, page, actions: [beep], onTab, onError }), { onTab, onError });
}

const turn = () => new Promise((resolve) => setTimeout(resolve));

test("views of a document without a page share a page of their own, which closes with the last of them", async () => {
  const before = new Set(pageToolboxes);
  const sockets = countSockets();
  const [first, second] = [join(), join()];
  await vi.waitFor(() => expect(sockets).toEqual(["ws://hub.test/page"]));
  const toolbox = [...pageToolboxes].find((each) => !before.has(each)) as LocalToolbox | undefined;
  const names = () => toolbox?.list().map(({ name }) => name);
  await vi.waitFor(() => expect(names()).toEqual(["beep"]));
  first.close();
  await turn();
  // The second offers it in the place of the first.
  expect([names(), pageToolboxes.size]).toEqual([["beep"], before.size + 1]);
  second.close();
  second.close();
  await vi.waitFor(() => expect(pageToolboxes.size).toBe(before.size));
});

test("the page of the script tag is used if it has the same hub", async () => {
  const sockets = countSockets();
  const own = fakePage();
  vi.stubGlobal("pagewire", own);
  const joined = join();
  await vi.waitFor(() => expect(joined.onTab).toHaveBeenCalled());
  expect([joined.tabId, own.toolbox.list().length, sockets]).toEqual(["tab1", 1, []]);
  joined.close();
  expect([own.toolbox.list(), own.isClosed]).toEqual([[], false]);
  own.hub = "http://another.test";
  const other = join();
  await vi.waitFor(() => expect(sockets).toEqual(["ws://hub.test/page"]));
  other.close();
});

test("on the hub's own pages, the user who signed in to terminals registers the tools, and nobody before that", async () => {
  const sent: string[] = [];
  const sockets = countSockets(sent);
  const joined = join(undefined, location.origin);
  await turn();
  expect(sockets).toEqual([]);
  joined.signedIn("pagewire-shell.one");
  await vi.waitFor(() => expect(sent.join()).toContain('"token":"pagewire-shell.one"'));
  joined.signedIn("pagewire-shell.one");
  joined.signedIn(undefined);
  joined.signedIn("pagewire-shell.two");
  await vi.waitFor(() => expect(sent.at(-1)).toContain('"token":"pagewire-shell.two"'));
  expect(sockets).toHaveLength(2);
  expect(sent.flatMap((each) => /"token":"([^"]*)/.exec(each)?.[1] ?? [])).toEqual([
    "pagewire-shell.one",
    "pagewire-shell.two",
  ]);
  expect(sockets.join(" ")).not.toContain("pagewire-shell");
  joined.close();
});

test("on other pages, the terminal token is not used for the page", async () => {
  const sent: string[] = [];
  countSockets(sent);
  const joined = join();
  joined.signedIn("pagewire-shell.one");
  await vi.waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]).not.toContain("pagewire-shell");
  joined.close();
});

test("the tab is reported again when its page reconnects, and not while it is disconnected", async () => {
  const own = fakePage();
  const joined = join(own as unknown as Page);
  await vi.waitFor(() => expect(joined.onTab).toHaveBeenCalledOnce());
  own.become({ status: "reconnecting", message: "", retryAt: 0 });
  expect([joined.tabId, joined.isConnected, joined.onTab.mock.calls.length]).toEqual(["tab1", false, 1]);
  own.become({ status: "connected", message: "", tabId: "tab1", via: { kind: "socket" } });
  expect([joined.isConnected, joined.onTab.mock.calls.length]).toEqual([true, 2]);
  joined.close();
  own.become({ status: "connected", message: "", tabId: "tab2", via: { kind: "socket" } });
  expect(joined.onTab).toHaveBeenCalledTimes(2);
});
