import type { HttpConnection } from "./http-connection.ts";
import { percentile } from "./statistics.ts";

/** Calls over all connections at once, one after the other on each, until the time is over; returns calls and time. */
export async function runLoad(
  connections: readonly HttpConnection[],
  milliseconds: number,
): Promise<{ readonly calls: number; readonly seconds: number }> {
  const startedAt = performance.now();
  const end = startedAt + milliseconds;
  let calls = 0;
  const run = async (connection: HttpConnection) => {
    do {
      await callOnce(connection);
      calls++;
    } while (performance.now() < end);
  };
  await Promise.all(connections.map(run));
  return { calls, seconds: (performance.now() - startedAt) / 1000 };
}

/** Calls one after the other until the time is over; returns the percentiles of how long each took, in µs. */
export async function runSequence(
  connection: HttpConnection,
  milliseconds: number,
): Promise<{ readonly p50: number; readonly p99: number }> {
  const times: number[] = [];
  const end = performance.now() + milliseconds;
  for (let startedAt = performance.now(); startedAt < end;) {
    await callOnce(connection);
    const now = performance.now();
    times.push((now - startedAt) * 1000);
    startedAt = now;
  }
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

async function callOnce(connection: HttpConnection): Promise<void> {
  const { status, body } = await connection.call();
  if (status !== 200) throw new Error(`A call ended with ${status}: ${Buffer.concat(body).toString().slice(0, 500)}`);
}
