// Unsent drafts, for each conversation. An app's suggestion is stacked on top of the user's own draft, which reappears
// when the suggestion is sent or emptied: they are never mixed.
import { isEmptyPrompt } from "./prompt.ts";
import type { Prompt, PromptFile } from "./prompt.ts";

export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export interface DraftsOptions {
  /** The tab's own. */
  readonly storage: DraftStorage;
  readonly conversation: string | null;
}

export interface Drafts {
  readonly current: Prompt;
  /** Another number for each conversation whose draft is shown; a draft that moves along keeps its own. */
  readonly place: number;
  /** Updates the draft on top; when it is emptied, the one below reappears. */
  write(changes: Partial<Pick<Prompt, "text" | "images" | "files">>): void;
  /** Puts a prompt on top. It replaces an untouched proposal of the app. */
  propose(prompt: Prompt): void;
  /** Removes and returns the draft on top. */
  take(): Prompt;
  /** Restores a draft that could not be sent: on top, unless the user is writing something else. */
  giveBack(prompt: Prompt, conversation: string | null): void;
  /**
   * Another conversation is shown. A draft in a conversation without messages moves along: such a conversation cannot
   * be found again, and a restarted hub does not know it.
   */
  open(conversation: string | null, wasUnsaid?: boolean): void;
}

const nothing: Prompt = { text: "", images: [] };
/** Max drafts below the one on top. */
const mostBelow = 10;
/** Max size of a draft's pictures and files. Larger ones stay in memory only: storage is small, and written at each keystroke. */
const mostStored = 1_000_000;

export function createDrafts({ storage, conversation: first }: DraftsOptions): Drafts {
  let conversation = first;
  let place = 0;
  /** Top first; never empty. */
  let pile: readonly Prompt[] = read(conversation);
  /** The app's proposal, and the draft below it; an edited draft is no proposal any more. */
  let untouched: Prompt | undefined;
  let uncovered: Prompt | undefined;
  /** Conversations that are not found again. */
  const gone = new Set<string>();

  function lay(prompts: readonly Prompt[]): void {
    const [top = nothing, ...below] = prompts.filter((prompt) => !isEmptyPrompt(prompt));
    pile = [top, ...below.slice(0, mostBelow)];
    keep(conversation, pile);
  }

  function keep(id: string | null, prompts: readonly Prompt[]): void {
    if (id === null) return;
    const written = prompts.filter((prompt) => !isEmptyPrompt(prompt)).map(storable);
    try {
      if (written.length === 0) storage.removeItem(keyOf(id));
      else storage.setItem(keyOf(id), JSON.stringify(written));
    } catch {
      // Without storage, the draft lasts as long as this page.
    }
  }

  function read(id: string | null): readonly Prompt[] {
    const kept = id === null ? [] : parseDrafts(readItem(id));
    return kept.length === 0 ? [nothing] : kept;
  }

  function readItem(id: string): string | null {
    try {
      return storage.getItem(keyOf(id));
    } catch {
      return null;
    }
  }

  return {
    get current() {
      return pile[0] ?? nothing;
    },
    get place() {
      return place;
    },
    write(changes) {
      const [top = nothing, ...below] = pile;
      lay([{ ...top, ...changes }, ...below]);
    },
    propose(prompt) {
      const rest = pile[0] === untouched ? pile.slice(1) : pile;
      untouched = prompt;
      lay([prompt, ...rest]);
    },
    take() {
      const [top = nothing, ...below] = pile;
      lay(below);
      uncovered = pile[0];
      return top;
    },
    giveBack(prompt, to) {
      if (to !== conversation && to !== null && !gone.has(to)) return keep(to, [prompt, ...read(to)]);
      const [top = nothing, ...below] = pile;
      lay(top === uncovered || isEmptyPrompt(top) ? [prompt, ...pile] : [top, prompt, ...below]);
    },
    open(id, wasUnsaid = false) {
      if (id === conversation) return;
      if (conversation !== null && !wasUnsaid) place += 1;
      const carried = conversation === null ? pile : wasUnsaid ? pile.filter(({ from }) => from === undefined) : [];
      if (conversation !== null && wasUnsaid) {
        gone.add(conversation);
        keep(conversation, []);
      }
      conversation = id;
      lay([...carried, ...read(id)]);
    },
  };
}

function storable(prompt: Prompt): Prompt {
  const { files = [], ...others } = prompt;
  const { images } = prompt;
  const size = [...images, ...files.map(({ url }) => url)].reduce((sum, url) => sum + url.length, 0);
  return size > mostStored ? { ...others, images: [] } : prompt;
}

function keyOf(conversation: string): string {
  return `pagewire-draft:${conversation}`;
}

function parseDrafts(text: string | null): readonly Prompt[] {
  if (text === null) return [];
  try {
    const kept: unknown = JSON.parse(text);
    return Array.isArray(kept) ? kept.filter(isPrompt) : [];
  } catch {
    return [];
  }
}

function isPrompt(value: unknown): value is Prompt {
  const { text, images, files = [], from } = Object(value) as Partial<Record<keyof Prompt, unknown>>;
  return (
    typeof text === "string" &&
    Array.isArray(images) &&
    images.every((url) => typeof url === "string" && url.startsWith("data:image/")) &&
    Array.isArray(files) &&
    files.every(isFile) &&
    (from === undefined || typeof from === "string")
  );
}

function isFile(value: unknown): boolean {
  const { name, url } = Object(value) as Partial<Record<keyof PromptFile, unknown>>;
  return typeof name === "string" && typeof url === "string" && url.startsWith("data:");
}

/** The tab's storage; where the browser forbids it, one that lasts as long as the page. */
export function safeStorage(): DraftStorage {
  try {
    return sessionStorage;
  } catch {
    return memoryStorage();
  }
}

export function memoryStorage(): DraftStorage {
  const kept = new Map<string, string>();
  return {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => void kept.set(name, text),
    removeItem: (name) => void kept.delete(name),
  };
}
