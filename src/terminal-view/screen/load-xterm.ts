import { PagewireError } from "../../wire/index.ts";

/** The parts of xterm that a view uses; a page that shows no terminal never loads them. */
export async function loadXterm() {
  try {
    const [{ Terminal }, { FitAddon }, { SearchAddon }, { WebLinksAddon }] = await Promise.all([
      import("@xterm/xterm"),
      import("@xterm/addon-fit"),
      import("@xterm/addon-search"),
      import("@xterm/addon-web-links"),
    ]);
    return { Terminal, FitAddon, SearchAddon, WebLinksAddon };
  } catch (cause) {
    throw new PagewireError(
      "part-missing",
      "What draws terminals could not be loaded. If your app bundles it, install it: npm install @xterm/xterm @xterm/addon-fit @xterm/addon-search @xterm/addon-web-links",
      { cause },
    );
  }
}

export type Xterm = Awaited<ReturnType<typeof loadXterm>>;
