// Ways to bring an answer that a server gets to a client, by WebSocket.
import { AiCore, aiRemoteDeclaration } from "pagewire/ai";
import type { AiMessage, AiRequestOptions } from "pagewire/ai";
import {
  RemoteShellProxy,
  WebSocketServerTransport,
  connectRemoteCore,
  createShellSessions,
} from "pagewire/bindable/remote";
import { WebSocket } from "ws";
import type { Answer } from "./answer.ts";
import { paced, pacedFetch } from "./paced-fetch.ts";

export interface RemoteWay {
  /** The server's side of one connection. */
  serve(socket: WebSocket): void;
  /** The client's: asks once, and resolves with the text when all of the answer is there. */
  ask(url: string): Promise<string>;
}

export interface RemoteStreaming {
  readonly answer: Answer;
  readonly tokens: readonly string[];
  /** Milliseconds between two events of the model. */
  readonly period: number;
}

const question = ["Tell me of the harbour.", { model: "any" }];

/** The least: each piece of text is a message. */
export function floorWay({ answer, tokens, period }: RemoteStreaming): RemoteWay {
  return {
    serve(socket) {
      socket.once("message", () => void paced(tokens, period, (token) => socket.send(token)));
    },
    ask(url) {
      const socket = new WebSocket(url);
      socket.once("open", () => socket.send("ask"));
      let text = "";
      return new Promise((resolve, reject) => {
        socket.once("error", reject);
        socket.on("message", (data: Buffer) => {
          text += data.toString();
          if (text.length >= answer.text.length) resolve(text);
        });
      });
    },
  };
}

/** Both sides are Pagewire's. */
export function pagewireWay(streaming: RemoteStreaming): RemoteWay {
  const sessions = createShellSessions({
    declaration: aiRemoteDeclaration,
    plainDeclaration: AiCore.wcBindable,
    open: () => Promise.resolve({ id: "only", core: pacedCore(streaming), close() {} }),
  });
  return {
    serve: (socket) => sessions.attach(new WebSocketServerTransport(socket), "anyone"),
    async ask(url) {
      const remote = connectRemoteCore(aiRemoteDeclaration, { connect: () => new WebSocket(url) });
      await remote.proxy.invokeWithOptions("send", question, { timeoutMs: 0 });
      const text = lastText(remote.proxy.messages);
      remote.close();
      sessions.close();
      return text;
    },
  };
}

/** The protocol's own messages only: a client by hand that announces nothing more, as any other implementation's. */
export function plainWay(streaming: RemoteStreaming): RemoteWay {
  return {
    serve(socket) {
      new RemoteShellProxy(pacedCore(streaming), new WebSocketServerTransport(socket));
    },
    ask(url) {
      const socket = new WebSocket(url);
      const send = (message: object) => socket.send(JSON.stringify(message));
      const values = new Map<string, unknown>();
      socket.once("open", () => send({ type: "sync" }));
      return new Promise((resolve, reject) => {
        socket.once("error", reject);
        socket.on("message", (data: Buffer) => {
          const message = JSON.parse(data.toString()) as { type: string; name: string; value: unknown };
          if (message.type === "sync") send({ type: "cmd", name: "send", id: "1", args: question });
          if (message.type === "update") values.set(message.name, message.value);
          if (message.type === "return") resolve(lastText(values.get("messages")));
        });
      });
    },
  };
}

/** The answer's text, from the history. */
function lastText(messages: unknown): string {
  const last = (messages as readonly AiMessage[]).at(-1);
  return typeof last?.content === "string" ? last.content : "";
}

function pacedCore({ answer, period }: RemoteStreaming): AiCore {
  const fetch = pacedFetch(answer, period);
  class PacedCore extends AiCore {
    override send(prompt: string, options: AiRequestOptions): Promise<string | null> {
      return super.send(prompt, { ...options, apiKey: "none", fetch });
    }
  }
  const core = new PacedCore();
  core.provider = answer.format;
  return core;
}
