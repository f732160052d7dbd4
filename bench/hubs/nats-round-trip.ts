// The floor of a call over the bus: NATS's own round trip between two processes, each with one inbox that lives long and
// correlation ids of their own. It carries the arguments there, and the answer back.
import { randomUUID } from "node:crypto";
import { connect } from "@nats-io/transport-node";
import type { CallingRole, Parameters, Started } from "../harness/role.ts";
import { answerTo, argumentsFor } from "../pages/answers.ts";

const asked = "bench.asked";

export async function startNatsAnswerer({ nats = "", size = "200 B" }: Parameters): Promise<Started> {
  const connection = await connect({ servers: nats });
  const answer = Buffer.from(JSON.stringify(answerTo(argumentsFor(size))));
  connection.subscribe(asked, {
    callback: (_, { data }) => {
      const message = Buffer.from(data.buffer, data.byteOffset, data.length);
      const [inbox = "", id] = message.toString("latin1", 0, message.indexOf("\n")).split(" ");
      connection.publish(inbox, Buffer.concat([Buffer.from(`${id}\n`), answer]));
    },
  });
  await connection.flush();
  return { port: 0 };
}

export async function startNatsCaller({ nats = "", size = "200 B" }: Parameters): Promise<CallingRole> {
  const connection = await connect({ servers: nats });
  const inbox = `bench.${randomUUID()}`;
  const body = JSON.stringify(argumentsFor(size));
  const waiting = new Map<string, () => void>();
  let count = 0;
  connection.subscribe(inbox, {
    callback: (_, { data }) => {
      const message = Buffer.from(data.buffer, data.byteOffset, data.length);
      const id = message.toString("latin1", 0, message.indexOf("\n"));
      waiting.get(id)?.();
      waiting.delete(id);
    },
  });
  await connection.flush();
  const call = () =>
    new Promise<void>((resolve) => {
      const id = `${++count}`;
      waiting.set(id, resolve);
      connection.publish(asked, `${inbox} ${id}\n${body}`);
    });
  return { port: 0, window: "", caller: { call, close: () => {} } };
}
