import { isJsonObject } from "../../../wire/index.ts";
import type { JsonObject } from "../../../wire/index.ts";
import type { ConversationInfo } from "../port/store.ts";
import { homeOf, isElsewhere, notFound, tooLarge } from "../port/store.ts";
import { titleAt, titleOf } from "../port/title-of.ts";
import { freeHome, isTaken } from "./homes.ts";
import { defineOperation } from "./session.ts";
import type { Session } from "./session.ts";
import { fitText, storedName } from "./schema.ts";

export interface ConversationTexts {
  readonly origin: string | undefined;
  readonly texts: readonly string[];
}

/** A change, with its messages as JSON. */
export interface TextChange {
  readonly keep: number;
  readonly texts: readonly string[];
  readonly origin: string | undefined;
  /** For imports: when it was last changed. */
  readonly changed?: number;
  readonly hub?: string | undefined;
}

/** Databases limit the number of values in a statement. */
const maxRows = 500;

const laneOf = ([principal, id]: readonly string[]) => `conversation ${id} ${principal}`;

type Named = readonly [principal: string, id: string];

export const conversationOperations = {
  readConversation: defineOperation({
    isReading: true,
    lane: laneOf,
    async run(session, [principal, id]: Named): Promise<ConversationTexts | undefined> {
      const { build } = session;
      const found = build
        .selectFrom("conversations")
        .select(["number", "origin"])
        .where("principal", "=", storedName(principal))
        .where("id", "=", id);
      const [conversation] = (await session.run(found)).rows;
      if (!conversation) return undefined;
      return { origin: conversation.origin ?? undefined, texts: await readTexts(session, conversation.number) };
    },
  }),
  writeConversation: defineOperation({
    isAtomic: true,
    lane: laneOf,
    async run(session, [principal, id, change]: readonly [...Named, TextChange]): Promise<void> {
      const { hub } = change;
      if (hub !== undefined && !(await isTaken(session, { name: homeOf({ principal, id }), hub }))) throw isElsewhere();
      await writeConversation(session, { principal: storedName(principal), id }, change);
    },
  }),
  listConversations: defineOperation({
    isReading: true,
    async run({ build, run, limits }, [principal]: readonly [string]): Promise<readonly ConversationInfo[]> {
      const { rows } = await run(
        build
          .selectFrom("conversations")
          .select(["id", "title", "origin", "changed"])
          .where("principal", "=", storedName(principal))
          .where("messages", ">", 0)
          .orderBy("changed", "desc")
          .limit(limits.conversationsPerPrincipal),
      );
      return rows.map(({ id, title, origin, changed }) => ({
        id,
        title,
        origin: origin ?? undefined,
        changedAt: changed,
      }));
    },
  }),
  removeConversation: defineOperation({
    isAtomic: true,
    lane: laneOf,
    async run(session, [principal, id, hub]: readonly [...Named, string | undefined]): Promise<void> {
      if (hub !== undefined) await freeHome(session, homeOf({ principal, id }), hub);
      const found = session.build
        .selectFrom("conversations")
        .select("number")
        .where("principal", "=", storedName(principal))
        .where("id", "=", id);
      const { rows } = await session.run(found);
      await removeConversations(
        session,
        rows.map(({ number }) => number),
      );
    },
  }),
};

/** The messages of a conversation, as JSON. */
export async function readTexts({ build, run }: Session, number: number): Promise<readonly string[]> {
  const all = build.selectFrom("messages").select("text").where("conversation", "=", number).orderBy("position");
  return (await run(all)).rows.map(({ text }) => text);
}

interface Place {
  readonly principal: string;
  readonly id: string;
}

interface Known {
  readonly number: number;
  readonly messages: number;
  readonly bytes: number;
  readonly titleAt: number;
  readonly title: string;
}

async function writeConversation(session: Session, place: Place, change: TextChange): Promise<void> {
  const { keep, texts } = change;
  const known = await take(session, place, change.changed ?? session.time.next());
  if (keep > (known?.messages ?? 0)) throw notFound();
  const { number, bytes, messages, ...name } = known ?? (await begin(session, place, change));
  const removed = keep < messages ? await cutBack(session, number, keep) : 0;
  const rows = texts.map((text, at) => ({
    conversation: number,
    position: keep + at,
    text,
    bytes: Buffer.byteLength(text),
  }));
  for (let at = 0; at < rows.length; at += maxRows)
    await session.run(session.build.insertInto("messages").values(rows.slice(at, at + maxRows)));
  const size = rows.reduce((sum, row) => sum + row.bytes, bytes - removed);
  if (size > session.limits.conversationBytes) throw tooLarge(session.limits.conversationBytes);
  await session.run(
    session.build
      .updateTable("conversations")
      .set({ messages: keep + texts.length, bytes: size, ...nameAfter(name, change) })
      .where("number", "=", number),
  );
  if (!known || size > bytes) await makeRoom(session, place.principal, number);
}

/** Reads a conversation's row and locks it until the transaction ends. */
async function take({ build, run }: Session, { principal, id }: Place, changed: number): Promise<Known | undefined> {
  const touched = build
    .updateTable("conversations")
    .set({ changed })
    .where("principal", "=", principal)
    .where("id", "=", id)
    .returning(["number", "messages", "bytes", "titleAt", "title"]);
  return (await run(touched)).rows[0];
}

async function begin(
  { build, run, time }: Session,
  place: Place,
  { origin, changed = time.next() }: TextChange,
): Promise<Known> {
  const empty = { messages: 0, bytes: 0, titleAt: -1, title: "" };
  const made = build
    .insertInto("conversations")
    .values({ ...place, ...empty, origin: origin === undefined ? null : fitText(origin), changed })
    .returning("number");
  const [row] = (await run(made)).rows;
  return { ...empty, number: row?.number ?? 0 };
}

/** Removes the messages from an index on; returns their bytes. */
async function cutBack({ build, run }: Session, number: number, keep: number): Promise<number> {
  const { rows } = await run(
    build
      .selectFrom("messages")
      .select(({ fn }) => fn.sum<number>("bytes").as("bytes"))
      .where("conversation", "=", number)
      .where("position", ">=", keep),
  );
  await run(build.deleteFrom("messages").where("conversation", "=", number).where("position", ">=", keep));
  return rows[0]?.bytes ?? 0;
}

/** The index of the message that gives the title. */
function nameAfter(known: Pick<Known, "titleAt" | "title">, { keep, texts }: TextChange) {
  if (known.titleAt >= 0 && known.titleAt < keep) return { titleAt: known.titleAt, title: known.title };
  const messages = texts
    .map((text) => JSON.parse(text) as unknown)
    .map((one): JsonObject => (isJsonObject(one) ? one : {}));
  const at = titleAt(messages);
  return { titleAt: at < 0 ? -1 : keep + at, title: fitText(titleOf(messages)) };
}

/**
 * Removes a principal's least recently changed conversations until the rest is within its limits; returns how many.
 */
export async function makeRoom(session: Session, principal: string, newest?: number): Promise<number> {
  const { build, run, limits, onOver } = session;
  const { rows } = await run(
    build
      .selectFrom("conversations")
      .select(["number", "bytes"])
      .where("principal", "=", principal)
      .orderBy("changed", "desc"),
  );
  let sum = 0;
  const isTooMuch = ({ number, bytes }: { number: number; bytes: number }, at: number) => {
    sum += bytes;
    const isMany = at >= limits.conversationsPerPrincipal;
    if (number === newest || (!isMany && sum <= limits.conversationBytesPerPrincipal)) return false;
    onOver?.(isMany ? "conversationsPerPrincipal" : "conversationBytesPerPrincipal");
    return true;
  };
  const numbers = rows.filter(isTooMuch).map(({ number }) => number);
  await removeConversations(session, numbers);
  return numbers.length;
}

export async function removeConversations({ build, run }: Session, numbers: readonly number[]): Promise<void> {
  for (let at = 0; at < numbers.length; at += maxRows) {
    const some = numbers.slice(at, at + maxRows);
    await run(build.deleteFrom("messages").where("conversation", "in", some));
    await run(build.deleteFrom("conversations").where("number", "in", some));
  }
}
