import { answerTo } from "./answers.ts";
import type { ToolArguments } from "./answers.ts";
import { floorSpeakerOf } from "./floor-speaker.ts";

interface RpcCall {
  readonly id: number;
  readonly params: { readonly arguments: ToolArguments };
}

/** The floor's page for JSON-RPC: it is given each request whole, and writes the whole response. */
export const createRpcFloorSpeaker = floorSpeakerOf<RpcCall>(({ id, params }) => ({
  jsonrpc: "2.0",
  id,
  result: answerTo(params.arguments),
}));
