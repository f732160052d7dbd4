import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that the system gives to servers of port 0 and to clients, which other tests have at the same time. */
const first = 10_000;
const count = 20_000;

/** A port of 127.0.0.1 that is free, and that hardly any other test gets before it is used. */
export async function freePort(): Promise<number> {
  const port = first + Math.floor(Math.random() * count);
  const server = createServer().listen(port, "127.0.0.1");
  const isFree = await once(server, "listening").then(
    () => true,
    () => false,
  );
  await new Promise((resolve) => server.close(resolve));
  return isFree ? port : freePort();
}
