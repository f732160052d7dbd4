// A store in files that only grow, one for each conversation: what was written is there after the process was killed.
// No part of a file's name is what somebody said: principals become digests, and ids have one form.
import { createHash } from "node:crypto";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject, Limits } from "../../wire/index.ts";
import { defaultLimits, isJsonObject } from "../../wire/index.ts";
import { addLines, damaged, readLines } from "./line-file.ts";
import type { OnProblem } from "./line-file.ts";
import { notFound, tooLarge } from "./store-errors.ts";
import { isConversationId } from "./store.ts";
import type { ConversationChange, ConversationInfo, ConversationKey, Store, StoredConversation } from "./store.ts";
import { takeDirectory } from "./take-directory.ts";
import { createUsageFiles } from "./usage-files.ts";

export interface FileStoreOptions {
  /** A folder of its own; made if it is not there. */
  readonly directory: string;
  readonly limits?: Pick<Limits, "conversationBytes" | "conversationsPerPrincipal">;
  /** Hears of what could not be read and was left out. */
  readonly onProblem?: OnProblem;
}

const ending = ".jsonl";

/** Opens a store. Throws where another process has it. */
export function createFileStore(options: FileStoreOptions): Store {
  const { directory, limits = defaultLimits, onProblem = () => {} } = options;
  const giveBack = takeDirectory(directory);
  const usage = createUsageFiles(join(directory, "usage"), onProblem);
  const queues = new Map<string, Promise<unknown>>();

  /** One after the other, for each file and each counter. */
  function inTurn<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
    const done = (queues.get(name) ?? Promise.resolve()).then(work, work);
    queues.set(name, done);
    const forget = () => {
      if (queues.get(name) === done) queues.delete(name);
    };
    done.then(forget, forget);
    return done;
  }

  const folderOf = (principal: string) => join(directory, "conversations", digestOf(principal));
  const pathOf = ({ principal, id }: ConversationKey) =>
    isConversationId(id) ? join(folderOf(principal), `${id}${ending}`) : undefined;

  async function list(principal: string): Promise<readonly ConversationInfo[]> {
    const names = await readdir(folderOf(principal)).catch(() => []);
    const found = names
      .filter((name) => name.endsWith(ending))
      .map(async (name) => {
        // Another change may have made room just now.
        const stats = await stat(join(folderOf(principal), name)).catch(() => undefined);
        return stats ? [{ id: name.slice(0, -ending.length), changedAt: stats.mtimeMs }] : [];
      });
    return (await Promise.all(found)).flat().sort((one, other) => other.changedAt - one.changedAt);
  }

  /** In turn, so that nobody who writes finds half of it gone. */
  async function erase(path: string): Promise<void> {
    await inTurn(path, async () => {
      for (const file of [path, temporaryOf(path)]) await rm(file, { force: true });
    });
  }

  async function makeRoom(principal: string): Promise<void> {
    for (const { id } of (await list(principal)).slice(limits.conversationsPerPrincipal - 1)) {
      await erase(join(folderOf(principal), `${id}${ending}`));
    }
  }

  /** How many messages a file holds that was looked at lately; others are read. */
  const lengths = new Map<string, number>();

  function noteLength(path: string, length: number): void {
    lengths.delete(path);
    lengths.set(path, length);
    for (const oldest of lengths.keys()) if (lengths.size > 1000) lengths.delete(oldest);
  }

  async function write(path: string, principal: string, change: ConversationChange): Promise<void> {
    const { keep, messages } = change;
    const size = await sizeOf(path);
    const length =
      size === 0 ? 0 : (lengths.get(path) ?? (await read(path, principal, onProblem))?.messages.length ?? 0);
    if (keep > length) throw notFound();
    lengths.delete(path);
    const line = { keep, messages };
    const grown = size + Buffer.byteLength(JSON.stringify(line));
    if (length > 0 && grown <= limits.conversationBytes) await addLines(path, [line], onProblem);
    else await rewrite(path, principal, change);
    noteLength(path, keep + messages.length);
  }

  async function rewrite(
    path: string,
    principal: string,
    { keep, messages, origin }: ConversationChange,
  ): Promise<void> {
    const known = await read(path, principal, onProblem);
    const whole = { keep: 0, messages: [...(known?.messages.slice(0, keep) ?? []), ...messages] };
    if (Buffer.byteLength(JSON.stringify(whole)) > limits.conversationBytes) throw tooLarge(limits.conversationBytes);
    if (!known) await makeRoom(principal);
    await mkdir(folderOf(principal), { recursive: true, mode: 0o700 });
    const temporary = temporaryOf(path);
    await rm(temporary, { force: true });
    await addLines(temporary, [headerOf(principal, known ? known.origin : origin), whole], onProblem);
    await rename(temporary, path);
  }

  return {
    async read(key) {
      const path = pathOf(key);
      return path === undefined ? undefined : inTurn(path, () => read(path, key.principal, onProblem));
    },
    async write(key, change) {
      const path = pathOf(key);
      if (path === undefined) throw notFound();
      return inTurn(path, () => write(path, key.principal, change));
    },
    list,
    async remove(key) {
      const path = pathOf(key);
      if (path !== undefined) await erase(path);
    },
    tokens: (principal, day) => inTurn("usage", () => usage.tokens(principal, day)),
    addTokens: (principal, day, tokens) => inTurn("usage", () => usage.add(principal, day, tokens)),
    async close() {
      while (queues.size > 0) await Promise.allSettled(queues.values());
      giveBack();
    },
  };
}

/** Where a conversation is written anew; what was killed in the middle of that is left there. */
function temporaryOf(path: string): string {
  return `${path}.tmp`;
}

/** Zero where there is no file. */
async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

async function read(path: string, principal: string, onProblem: OnProblem): Promise<StoredConversation | undefined> {
  const [header, ...changes] = (await readLines(path, onProblem)) ?? [];
  if (!header) return undefined;
  const { conversationOf, origin } = header;
  if (conversationOf !== principal) damaged(path, 1);
  const messages: JsonObject[] = [];
  for (const [at, change] of changes.entries()) {
    if (!isChange(change) || change.keep > messages.length) damaged(path, at + 2);
    messages.length = change.keep;
    messages.push(...change.messages);
  }
  return { messages, origin: typeof origin === "string" ? origin : undefined };
}

function headerOf(principal: string, origin: string | undefined): JsonObject {
  return { conversationOf: principal, ...(origin === undefined ? {} : { origin }) };
}

function isChange(value: JsonObject): value is JsonObject & Pick<ConversationChange, "keep" | "messages"> {
  const { keep, messages } = value;
  return Number.isInteger(keep) && Array.isArray(messages) && messages.every(isJsonObject);
}

function digestOf(principal: string): string {
  return createHash("sha256").update(principal).digest("hex").slice(0, 32);
}
