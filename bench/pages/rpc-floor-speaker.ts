import { answerTo } from "./answers.ts";
import type { ToolArguments } from "./answers.ts";
import { idLength } from "./floor-id.ts";
import type { CreateSpeaker } from "./speaker.ts";

interface RpcCall {
  readonly id: number;
  readonly params: { readonly arguments: ToolArguments };
}

/** The floor's page for JSON-RPC: it is given each request whole, and writes the whole response. */
export const createRpcFloorSpeaker: CreateSpeaker = ({ tools, send, ready }) => ({
  opened() {
    send(JSON.stringify(tools));
    ready();
  },
  receive(message) {
    const { id, params } = JSON.parse(message.slice(idLength)) as RpcCall;
    const response = { jsonrpc: "2.0", id, result: answerTo(params.arguments) };
    send(message.slice(0, idLength) + JSON.stringify(response));
  },
});
