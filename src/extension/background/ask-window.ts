// The one window that the person is asked in. Its id is in storage.session: the worker may be stopped while it is open.
import type { ExtensionApi } from "../browser-api.ts";
import type { Stored } from "./stored.ts";

export interface AskWindow {
  /** Opens it. One that is there keeps its place: what takes the focus while a person types takes their keys. */
  show(): Promise<void>;
  close(): Promise<void>;
  /** A window was closed: whether it was this one. */
  wasClosed(window: number): Promise<boolean>;
  /** "closed" if it was closed while the worker was stopped. */
  state(): Promise<"none" | "open" | "closed">;
}

const name = "ask-window";
const size = { width: 480, height: 640 };

export function createAskWindow(
  { windows, runtime }: Pick<ExtensionApi, "windows" | "runtime">,
  session: Stored,
): AskWindow {
  const known = async () => {
    const id = await session.get(name);
    return typeof id === "number" ? id : undefined;
  };
  const keep = (id: number | undefined) => session.change(name, () => id);

  async function isThere(change: Parameters<typeof windows.update>[1]): Promise<boolean> {
    const id = await known();
    return id !== undefined && windows.update(id, change).then(Boolean, () => false);
  }

  return {
    async show() {
      if (await isThere({ drawAttention: true })) return;
      const { id } = await windows.create({ url: runtime.getURL("ask.html"), type: "popup", focused: true, ...size });
      await keep(id);
    },
    async close() {
      const id = await known();
      if (id === undefined) return;
      await keep(undefined);
      await windows.remove(id).catch(() => {});
    },
    async wasClosed(window) {
      if ((await known()) !== window) return false;
      await keep(undefined);
      return true;
    },
    async state() {
      if ((await known()) === undefined) return "none";
      if (await isThere({})) return "open";
      await keep(undefined);
      return "closed";
    },
  };
}
