// The audit of an organisation as it is written, as server-sent events, for programs that watch over security. A program that
// comes back names the last record that it has.
import { PagewireError } from "../../../wire/index.ts";
import { onEnd } from "../../http/exchange.ts";
import { openEventStream } from "../event-stream.ts";
import type { Asked, TeamDoorOptions } from "./answers.ts";

/** Streams of one organisation at one time at a hub: each reads the store twice a second. */
const mostStreams = 8;

export type AuditStream = (asked: Asked) => Promise<void>;

type Parts = Pick<TeamDoorOptions, "calls" | "team" | "limits" | "metrics" | "note" | "answers">;

export function createAuditStream({ calls, team, limits, metrics, note, answers }: Parts): AuditStream {
  const open = new Map<string, number>();

  function enter(organisation: string): () => void {
    const count = open.get(organisation) ?? 0;
    if (count >= mostStreams) {
      const message = `${mostStreams} streams of the audit of your organisation are open at this hub already. End some of them.`;
      throw new PagewireError("requests-too-many", message);
    }
    open.set(organisation, count + 1);
    return () => {
      const left = (open.get(organisation) ?? 1) - 1;
      if (left > 0) open.set(organisation, left);
      else open.delete(organisation);
    };
  }

  function onSlow(): void {
    metrics.refused("too-slow");
    note("warn", "request-refused", { code: "too-slow" });
  }

  return async ({ request, response, admitted, organisation }) => {
    const gone = new AbortController();
    const { signal } = gone;
    const pages = calls.follow(organisation, request, signal);
    const leave = enter(organisation);
    onEnd(response, () => {
      leave();
      gone.abort();
    });
    answers.add(response, admitted);
    answers.stand(response);
    const stream = openEventStream(response, { limits, onSlow, onUnread: answers.unread });
    if (request.method === "HEAD") return stream.end();
    try {
      for await (const records of pages) {
        // Its groups may have changed, and a token lasts longer.
        team.checkAdmin(admitted);
        for (const record of records) stream.send(JSON.stringify(record), record.id);
        await whenRead(response, signal);
        if (!stream.isOpen) return;
      }
    } catch (error) {
      // The program comes back, and is then answered why.
      note("warn", "request-refused", { code: PagewireError.isInstance(error) ? error.code : "store-failed" });
      stream.end();
    }
  };
}

/** Resolves when the client has taken what was sent, or is gone. */
function whenRead(response: Asked["response"], signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (!response.writableNeedDrain || signal.aborted) return resolve();
    const done = () => {
      response.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    response.on("drain", done);
    signal.addEventListener("abort", done);
  });
}
