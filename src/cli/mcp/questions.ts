import type { Session } from "./legacy-session.ts";
import type { RequestId } from "./message.ts";

/** What hubs have asked the client and was not answered yet. Two questions may have the same id. */
export interface Questions {
  add(id: RequestId, session: Session | undefined): void;
  /** The session that the oldest question with this id belongs to; it is none any more. */
  take(id: unknown): { readonly session: Session | undefined } | undefined;
  /** Forgets the questions of a session; returns their ids. */
  drop(session: Session): readonly RequestId[];
}

export function createQuestions(): Questions {
  const open: { readonly id: RequestId; readonly session: Session | undefined }[] = [];
  return {
    add: (id, session) => void open.push({ id, session }),
    take(id) {
      const at = open.findIndex((question) => question.id === id);
      return at < 0 ? undefined : open.splice(at, 1)[0];
    },
    drop(session) {
      const dropped = open.filter((question) => question.session === session);
      for (const question of dropped) open.splice(open.indexOf(question), 1);
      return dropped.map(({ id }) => id);
    },
  };
}
