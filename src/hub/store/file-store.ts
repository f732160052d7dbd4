// A store in files that only grow, one for each conversation: what was written is there after the process was killed.
// No part of a file's name is what somebody said: principals become digests, and ids have one form.
import { createHash } from "node:crypto";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject, Limits } from "../../wire/index.ts";
import { defaultLimits, isJsonObject } from "../../wire/index.ts";
import { addLines, damaged, readFirstLine, readLines } from "./line-file.ts";
import type { OnProblem } from "./line-file.ts";
import { createRecordFiles } from "./record-files.ts";
import { notFound, tooLarge } from "./store-errors.ts";
import { isConversationId } from "./store.ts";
import type { ConversationChange, ConversationInfo, ConversationKey, Store, StoredConversation } from "./store.ts";
import { takeDirectory } from "./take-directory.ts";
import { titleAt, titleOf } from "./title-of.ts";
import { createUsageFiles } from "./usage-files.ts";

export interface FileStoreOptions {
  /** A folder of its own; made if it is not there. */
  readonly directory: string;
  readonly limits?: Pick<Limits, "conversationBytes" | "conversationsPerPrincipal">;
  /** Hears of what could not be read and was left out. */
  readonly onProblem?: OnProblem;
}

const ending = ".jsonl";
const mostOpen = 32;

interface ConversationFile {
  readonly path: string;
  readonly id: string;
  readonly changedAt: number;
}

/** How many messages a conversation has, and which of them it is named after. Its name stands in its file's first line. */
interface Shape {
  readonly length: number;
  readonly titleAt: number;
}

const noShape: Shape = { length: 0, titleAt: -1 };

/** Opens a store. Throws where another process has it. */
export function createFileStore(options: FileStoreOptions): Store {
  const { directory, limits = defaultLimits, onProblem = () => {} } = options;
  const giveBack = takeDirectory(directory);
  const usage = createUsageFiles(join(directory, "usage"), onProblem);
  const records = createRecordFiles(join(directory, "records"), onProblem);
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

  /** The files of a principal's conversations, the one that was changed last first. */
  async function filesOf(principal: string): Promise<readonly ConversationFile[]> {
    const folder = folderOf(principal);
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(ending));
    const found = names.map(async (name) => {
      const path = join(folder, name);
      // Another change may have made room just now.
      const stats = await stat(path).catch(() => undefined);
      return stats ? [{ path, id: name.slice(0, -ending.length), changedAt: stats.mtimeMs }] : [];
    });
    return (await Promise.all(found)).flat().sort((one, other) => other.changedAt - one.changedAt);
  }

  async function list(principal: string): Promise<readonly ConversationInfo[]> {
    const files = [...(await filesOf(principal))];
    const infos: ConversationInfo[] = [];
    // A process has only so many files open at one time.
    while (files.length > 0) infos.push(...(await Promise.all(files.splice(0, mostOpen).map(infoOf))).flat());
    return infos;
  }

  /** In turn, so that nobody who writes finds half of it gone. */
  async function erase(path: string): Promise<void> {
    await inTurn(path, async () => {
      for (const file of [path, temporaryOf(path)]) await rm(file, { force: true });
    });
  }

  async function makeRoom(principal: string): Promise<void> {
    for (const { path } of (await filesOf(principal)).slice(limits.conversationsPerPrincipal - 1)) await erase(path);
  }

  /** What is known of files that were looked at lately; others are read. */
  const shapes = new Map<string, Shape>();

  function noteShape(path: string, shape: Shape): void {
    shapes.delete(path);
    shapes.set(path, shape);
    for (const oldest of shapes.keys()) if (shapes.size > 1000) shapes.delete(oldest);
  }

  async function write(path: string, principal: string, change: ConversationChange): Promise<void> {
    const { keep, messages } = change;
    const size = await sizeOf(path);
    const known =
      size === 0 ? noShape : (shapes.get(path) ?? shapeOf((await read(path, principal, onProblem))?.messages ?? []));
    if (keep > known.length) throw notFound();
    shapes.delete(path);
    const line = { keep, messages };
    const grown = size + Buffer.byteLength(JSON.stringify(line));
    const shape = shapeAfter(known, change);
    const isNamedAnew = shape.titleAt !== known.titleAt || keep <= known.titleAt;
    if (known.length > 0 && !isNamedAnew && grown <= limits.conversationBytes) await addLines(path, [line], onProblem);
    else await rewrite(path, principal, change);
    noteShape(path, shape);
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
    const about = headerOf(principal, known ? known.origin : origin, titleOf(whole.messages));
    const header = whole.messages.length === 0 ? { ...about, isEmpty: true } : about;
    await addLines(temporary, [header, whole], onProblem);
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
    record: (kind, key) => inTurn(kind, () => records.one(kind, key)),
    records: (kind, principal) => inTurn(kind, () => records.all(kind, principal)),
    setRecord: (kind, key, record) => inTurn(kind, () => records.set(kind, key, record)),
    keys: undefined,
    addAudit: async () => {},
    audit: async () => [],
    health: () => ({ isOk: true }),
    async close() {
      while (queues.size > 0) await Promise.allSettled(queues.values());
      giveBack();
    },
  };
}

/**
 * What its first line says; nothing where that says that nothing was said, or cannot be read, so that no page's
 * conversation passes for another's.
 */
async function infoOf({ path, id, changedAt }: ConversationFile): Promise<readonly ConversationInfo[]> {
  const header = await readFirstLine(path);
  return header && header["isEmpty"] !== true
    ? [{ id, title: textOf(header["title"]) ?? "", origin: textOf(header["origin"]), changedAt }]
    : [];
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
  return { messages, origin: textOf(origin) };
}

function shapeOf(messages: readonly JsonObject[]): Shape {
  return { length: messages.length, titleAt: titleAt(messages) };
}

function shapeAfter({ titleAt: at }: Shape, { keep, messages }: ConversationChange): Shape {
  const added = titleAt(messages);
  const isKept = at >= 0 && at < keep;
  return { length: keep + messages.length, titleAt: isKept || added < 0 ? (isKept ? at : -1) : keep + added };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function headerOf(principal: string, origin: string | undefined, title: string): JsonObject {
  return { conversationOf: principal, ...(origin === undefined ? {} : { origin }), title };
}

function isChange(value: JsonObject): value is JsonObject & Pick<ConversationChange, "keep" | "messages"> {
  const { keep, messages } = value;
  return Number.isInteger(keep) && Array.isArray(messages) && messages.every(isJsonObject);
}

function digestOf(principal: string): string {
  return createHash("sha256").update(principal).digest("hex").slice(0, 32);
}
