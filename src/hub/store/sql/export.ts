// Exports all data of one principal or of all, page by page, because it may exceed memory.
import type { AuditRecord } from "../port/store.ts";
import { readTexts } from "./conversations.ts";
import type { Session } from "./session.ts";
import { storedName } from "./schema.ts";

export type ExportLine = { readonly kind: "conversation" | "record" | "usage" | "key" | "audit" } & Readonly<
  Record<string, unknown>
>;

const pageSize = 200;

/** Reads the page of rows after a given row. */
type Page<Row> = (last: Row | undefined) => Promise<readonly Row[]>;

export async function* exportAll(session: Session, principal?: string): AsyncIterable<ExportLine> {
  const name = principal === undefined ? undefined : storedName(principal);
  yield* conversations(session, name);
  yield* records(session, name);
  yield* usage(session, name);
  yield* keys(session, name);
  yield* audit(session, name);
}

async function* rowsOf<Row>(page: Page<Row>): AsyncIterable<Row> {
  for (let last: Row | undefined; ;) {
    const rows = await page(last);
    yield* rows;
    last = rows.at(-1);
    if (rows.length < pageSize) return;
  }
}

type Exporter = (session: Session, principal: string | undefined) => AsyncIterable<ExportLine>;

interface ConversationRow {
  readonly number: number;
  readonly principal: string;
  readonly id: string;
  readonly title: string;
  readonly origin: string | null;
  readonly changed: number;
}

const conversations: Exporter = async function* (session, principal) {
  const { build, run } = session;
  const found = rowsOf<ConversationRow>(async (last) => {
    let page = build
      .selectFrom("conversations")
      .select(["number", "principal", "id", "title", "origin", "changed"])
      .where("number", ">", last?.number ?? 0)
      .orderBy("number")
      .limit(pageSize);
    if (principal !== undefined) page = page.where("principal", "=", principal);
    return (await run(page)).rows;
  });
  for await (const { number, principal: owner, id, title, origin, changed } of found) {
    const messages = (await readTexts(session, number)).map((text) => JSON.parse(text) as unknown);
    yield { kind: "conversation", principal: owner, id, title, origin, changed: timeOf(changed), messages };
  }
};

const records: Exporter = async function* ({ build, run }, principal) {
  const found = rowsOf<{ kind: string; key: string; principal: string; value: string; changed: number }>(
    async (last) => {
      let page = build
        .selectFrom("records")
        .select(["kind", "key", "principal", "value", "changed"])
        .orderBy("kind")
        .orderBy("key")
        .limit(pageSize);
      if (last)
        page = page.where(({ eb, refTuple, tuple }) => eb(refTuple("kind", "key"), ">", tuple(last.kind, last.key)));
      if (principal !== undefined) page = page.where("principal", "=", principal);
      return (await run(page)).rows;
    },
  );
  for await (const { kind: record, key, principal: owner, value, changed } of found)
    yield {
      kind: "record",
      principal: owner,
      record,
      key,
      changed: timeOf(changed),
      value: JSON.parse(value) as unknown,
    };
};

const usage: Exporter = async function* ({ build, run }, principal) {
  const found = rowsOf<{ day: string; principal: string; tokens: number }>(async (last) => {
    let page = build.selectFrom("usage").selectAll().orderBy("day").orderBy("principal").limit(pageSize);
    if (last)
      page = page.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("day", "principal"), ">", tuple(last.day, last.principal)),
      );
    if (principal !== undefined) page = page.where("principal", "=", principal);
    return (await run(page)).rows;
  });
  for await (const { principal: owner, day, tokens } of found) yield { kind: "usage", principal: owner, day, tokens };
};

const keys: Exporter = async function* ({ build, run }, principal) {
  const found = rowsOf<{
    principal: string;
    key: string;
    call: string;
    tab: string;
    used: number;
    ended: number | null;
    outcome: string | null;
    payload: Uint8Array | null;
  }>(async (last) => {
    let page = build
      .selectFrom("keys")
      .select(["principal", "key", "call", "tab", "used", "ended", "outcome", "payload"])
      .orderBy("principal")
      .orderBy("key")
      .limit(pageSize);
    if (last)
      page = page.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("principal", "key"), ">", tuple(last.principal, last.key)),
      );
    if (principal !== undefined) page = page.where("principal", "=", principal);
    return (await run(page)).rows;
  });
  for await (const { principal: owner, used, ended, outcome, payload, ...rest } of found) {
    const times = { used: timeOf(used), ...(ended === null ? {} : { ended: timeOf(ended) }) };
    const kept = outcome === null ? {} : { outcome: JSON.parse(outcome) as unknown };
    const result = payload ? { result: Buffer.from(payload).toString("utf8") } : {};
    yield { kind: "key", principal: owner, ...rest, ...times, ...kept, ...result };
  }
};

const audit: Exporter = async function* ({ build, run }, principal) {
  const found = rowsOf<{ sequence: number; day: string; hub: string; previous: string; hash: string; record: string }>(
    async (last) => {
      let page = build
        .selectFrom("audit")
        .select(["sequence", "day", "hub", "previous", "hash", "record"])
        .where("sequence", ">", last?.sequence ?? 0)
        .orderBy("sequence")
        .limit(pageSize);
      if (principal !== undefined) page = page.where("principal", "=", principal);
      return (await run(page)).rows;
    },
  );
  for await (const { record, ...place } of found) {
    // A record's own kind would overwrite the line's.
    const { kind: event, ...fields } = JSON.parse(record) as AuditRecord;
    yield { kind: "audit", event, ...fields, ...place };
  }
};

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
