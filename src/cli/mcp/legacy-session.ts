import type { IncomingMessage } from "node:http";
import { listKinds } from "./list-changes.ts";
import type { ListKind } from "./list-changes.ts";
import { objectOf } from "./message.ts";
import type { AnswerMessage } from "./message.ts";

/** A session that a hub has given. */
export interface Session {
  /** Missing where the hub keeps none. */
  readonly id: string | undefined;
  /** The version of MCP that was agreed on. */
  readonly version: string | undefined;
  /** The lists whose changes the hub tells of. */
  readonly lists: readonly ListKind[];
}

/** The session that an answer to `initialize` begins. */
export function sessionOf(reply: IncomingMessage, { result = {} }: AnswerMessage): Session {
  const id = reply.headers["mcp-session-id"];
  const { protocolVersion, capabilities } = result;
  const tells = (list: ListKind) => objectOf(objectOf(capabilities)[list])["listChanged"] === true;
  return {
    id: typeof id === "string" ? id : undefined,
    version: typeof protocolVersion === "string" ? protocolVersion : undefined,
    lists: listKinds.filter(tells),
  };
}

/** What each request of a session carries. */
export function sessionHeaders(session: Session | undefined): Readonly<Record<string, string>> {
  return {
    ...(session?.id === undefined ? {} : { "mcp-session-id": session.id }),
    ...(session?.version === undefined ? {} : { "mcp-protocol-version": session.version }),
  };
}
