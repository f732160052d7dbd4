import { ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import type { JSONRPCRequest, Result, ServerContext, StandardSchemaV1 } from "@modelcontextprotocol/server";
import { messageOf } from "../../../wire/index.ts";

/** What a client sent along with a request, not looked into yet. */
export type Parameters = Readonly<Record<string, unknown>>;

export type Answer = (parameters: Parameters, context: ServerContext) => Result | Promise<Result>;

/**
 * The SDK's server, but that it passes on parameters and results as they came. The SDK would strip from both what it
 * does not know, such as a call's key, and refuse kinds of content that are newer than it is.
 */
export class PassingServer extends Server {
  /** Answers requests of this method. What is wrong with the parameters is for the answer to find. */
  on(method: string, answer: Answer): void {
    this.setRequestHandler(method, { params: anything }, async (parameters, context) => {
      const { id, signal } = context.mcpReq;
      // The SDK says no more of a request that was cancelled, and its stream would stay open for good.
      const end = async (outcome: { result: Result } | { error: { code: number; message: string } }) => {
        if (signal.aborted) await this.transport?.send({ jsonrpc: "2.0", id, ...outcome });
      };
      try {
        const result = await answer(parameters, context);
        await end({ result });
        return result;
      } catch (error) {
        await end({ error: { code: ProtocolErrorCode.InternalError, message: messageOf(error) } });
        throw error;
      }
    });
  }

  protected override _wrapHandler(method: string, handler: RawHandler): RawHandler {
    // A prompt may ask for input as a tool may, and its result is not compared with a schema.
    return super._wrapHandler(method === "tools/call" ? "prompts/get" : method, handler);
  }
}

type RawHandler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

const anything: StandardSchemaV1<unknown, Parameters> = {
  "~standard": { version: 1, vendor: "pagewire", validate: (value) => ({ value: value as Parameters }) },
};
