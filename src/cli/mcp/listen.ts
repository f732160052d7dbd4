// `subscriptions/listen`: one long stream for the client, over as many streams of the hub as it takes.
import type { Json, JsonObject } from "../../wire/index.ts";
import { RefusedByHub } from "./failure.ts";
import type { Flight } from "./flights.ts";
import type { LaneOptions } from "./lane.ts";
import { missedChanges } from "./list-changes.ts";
import { objectOf, parseMessage } from "./message.ts";
import type { Message } from "./message.ts";
import { messagesOf, requireTaken } from "./reply.ts";
import { requestHeaders } from "./request-headers.ts";
import { createAttempts } from "./wait.ts";

/** Resolves when the client or the hub has ended the subscription; rejects when it could not be begun, or not again. */
export async function listen(flight: Flight, { hub, output, waiting }: LaneOptions): Promise<void> {
  const { request, signal, markSent } = flight;
  /** What the hub tells of; undefined until it said so. */
  let honored: JsonObject | undefined;

  async function readStream(): Promise<void> {
    const reply = await hub.send({
      method: "POST",
      headers: requestHeaders(request),
      body: request.text,
      signal,
      onSent: markSent,
      effort: honored === undefined ? "start" : "wait",
    });
    await requireTaken(reply);
    const isAgain = honored !== undefined;
    for await (const text of messagesOf(reply)) {
      if (flight.isOver) return;
      take(parseMessage(text), isAgain);
      await output.room();
    }
  }

  function take(message: Message, isAgain: boolean): void {
    if (message.kind === "answer" && message.id === request.id) {
      // A hub that stops ends its streams like this; so does one that has nothing to tell, and that is the end.
      const hasStopped = message.result !== undefined && Object.keys(honored ?? {}).length > 0;
      if (!hasStopped) flight.answer(message.text);
    } else if (message.kind === "notification") {
      const isAcknowledged = message.method === "notifications/subscriptions/acknowledged";
      if (isAcknowledged) honored = objectOf(message.params["notifications"]);
      // The client was told once, and knows nothing of streams.
      if (!isAcknowledged || !isAgain) return output.send(message.text);
      for (const missed of missedBy(honored ?? {}, request.id)) output.send(missed);
    }
  }

  const attempts = createAttempts(waiting);
  while (!flight.isOver) {
    try {
      await readStream();
    } catch (error) {
      if (honored === undefined || isFinal(error)) throw error;
    }
    if (honored === undefined && !flight.isOver) throw new Error("the hub ended the stream before it began");
    if (!flight.isOver) await attempts.pause(signal);
  }
}

/** A hub that is being started again is spoken for by whatever stands before it. */
function isFinal(error: unknown): boolean {
  return error instanceof RefusedByHub && error.status < 500;
}

function missedBy(honored: JsonObject, id: string | number): readonly string[] {
  const { resourceSubscriptions = [] } = honored;
  return missedChanges({
    hearsOf: (list) => honored[`${list}ListChanged`] === true,
    resources: (Array.isArray(resourceSubscriptions) ? (resourceSubscriptions as readonly Json[]) : []).filter(
      (uri) => typeof uri === "string",
    ),
    meta: { "io.modelcontextprotocol/subscriptionId": id },
  });
}
