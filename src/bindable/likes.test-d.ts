import type { RefCallback } from "react";
import { expectTypeOf, test } from "vitest";
import type { WebSocket as NodeWebSocket } from "ws";
import { bind } from "./index.ts";
import { useWcBindable as useInReact } from "./react.ts";
import {
  connectRemoteCore,
  createRemoteCoreProxy,
  WebSocketClientTransport,
  WebSocketServerTransport,
} from "./remote.ts";
import type { WcBindableDeclaration } from "./index.ts";
import { useWcBindable as useInVue } from "./vue.ts";

declare const declaration: WcBindableDeclaration;
declare const socket: WebSocket;
declare const nodeSocket: NodeWebSocket;
declare const element: HTMLElement;

interface Values {
  count: number;
}

test("the sockets of browsers and of ws are sockets on either side, and a class's own constant is a declaration", () => {
  expectTypeOf(WebSocketClientTransport).toBeConstructibleWith(socket);
  expectTypeOf(WebSocketClientTransport).toBeConstructibleWith(nodeSocket);
  expectTypeOf(WebSocketServerTransport).toBeConstructibleWith(socket);
  expectTypeOf(WebSocketServerTransport).toBeConstructibleWith(nodeSocket);
  const remote = connectRemoteCore<Values>(declaration, { connect: () => socket });
  expectTypeOf(remote.proxy.count).toEqualTypeOf<number | undefined>();
  const proxy = createRemoteCoreProxy<Values>(declaration, new WebSocketClientTransport(socket));
  expectTypeOf(proxy.count).toEqualTypeOf<number | undefined>();
  expectTypeOf(bind(proxy, () => {})).toEqualTypeOf<() => void>();
  expectTypeOf(bind(element, () => {})).toEqualTypeOf<() => void>();
  expectTypeOf(useInReact<HTMLButtonElement, Values>()[1]).toEqualTypeOf<Values>();
  expectTypeOf(useInReact<HTMLButtonElement>()[0]).toExtend<RefCallback<HTMLButtonElement>>();
  expectTypeOf(useInReact<HTMLButtonElement>()[0].current).toEqualTypeOf<HTMLButtonElement | null>();
  expectTypeOf(useInVue<HTMLButtonElement, Values>().values).toEqualTypeOf<Values>();
  expectTypeOf(useInVue<HTMLButtonElement>().element.value).toEqualTypeOf<HTMLButtonElement | null>();
});
