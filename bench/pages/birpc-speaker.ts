import { createBirpc } from "birpc";
import { answerTo } from "./answers.ts";
import type { ToolAnswer, ToolArguments } from "./answers.ts";
import type { CreateSpeaker } from "./speaker.ts";

/** The hub's functions for pages. */
export interface HubFunctions {
  hello(tools: readonly object[]): void;
}

/** A page's functions for the hub. */
export interface PageFunctions {
  callTool(tool: string, parameters: unknown): ToolAnswer;
}

/** A page that speaks birpc. */
export const createBirpcSpeaker: CreateSpeaker = ({ tools, send, ready }) => {
  let receive: (message: string) => void = () => {};
  const hub = createBirpc<HubFunctions, PageFunctions>(
    { callTool: (_, parameters) => answerTo(parameters as ToolArguments) },
    {
      post: (data: string) => send(data),
      on: (listener) => {
        receive = listener;
      },
      serialize: (message) => JSON.stringify(message),
      deserialize: (text: string) => JSON.parse(text) as unknown,
    },
  );
  return {
    opened: () => void hub.hello(tools).then(ready),
    receive: (message) => receive(message),
  };
};
