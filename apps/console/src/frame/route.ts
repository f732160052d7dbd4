// The user's place in the console: a path in the address's fragment, such as #/now/tab/<id> or #/calls?outcome=ok.
import { signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";

export interface Route {
  /** The segments of the path, without escapes: ["now", "tab", "<id>"]. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** Parses a fragment; undefined where it is none of the console's. */
export function parseRoute(fragment: string): Route | undefined {
  if (!fragment.startsWith("#/")) return undefined;
  const [path = "", query = ""] = splitAt(fragment.slice(2), "?");
  return { path: path.split("/").filter(Boolean).map(unescaped), query: new URLSearchParams(query) };
}

/** The fragment of a place, for links: `href(["now", "tab", id])`. Parameters that are undefined are left out. */
export function href(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const text = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}

export interface Router {
  readonly route: ReadonlySignal<Route>;
  close(): void;
}

/** Follows the address. What is no place of the console leads to its first view. */
export function createRouter(first: string): Router {
  const read = () => parseRoute(location.hash);
  const start = { path: [first], query: new URLSearchParams() };
  const route = signal<Route>(read() ?? start);
  const follow = () => {
    // A sign-in link and the link past the navigation lead to no other place.
    if (location.hash === "") route.value = start;
    else route.value = read() ?? route.value;
  };
  addEventListener("hashchange", follow);
  return { route, close: () => removeEventListener("hashchange", follow) };
}

/** Goes to a place. With `isSame` it takes the present one's entry in the history, as a filter that is being typed does. */
export function goTo(fragment: string, isSame = false): void {
  if (!isSame) {
    location.hash = fragment;
    return;
  }
  history.replaceState(null, "", fragment);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

function splitAt(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
