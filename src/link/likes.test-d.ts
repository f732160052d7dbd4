import type { MessagePort as NodeMessagePort } from "node:worker_threads";
import { expectTypeOf, test } from "vitest";
import type { WebSocket as WsWebSocket } from "ws";
import type { SocketClass } from "./connect-socket.ts";
import type { PortLike } from "./port.ts";
import type { SocketLike } from "./socket.ts";

test("the sockets and ports of browsers, of Node and of `ws` serve as they are", () => {
  expectTypeOf<WebSocket>().toExtend<SocketLike>();
  expectTypeOf<WsWebSocket>().toExtend<SocketLike>();
  expectTypeOf<typeof WebSocket>().toExtend<SocketClass>();
  expectTypeOf<typeof WsWebSocket>().toExtend<SocketClass>();
  expectTypeOf<MessagePort>().toExtend<PortLike>();
  expectTypeOf<NodeMessagePort>().toExtend<PortLike>();
});
