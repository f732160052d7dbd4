// A chat of assistant-ui's, whose questions an AiCore answers.
import { AssistantRuntimeProvider, ComposerPrimitive, MessagePrimitive, ThreadPrimitive } from "@assistant-ui/react";
import { useChatRuntime } from "@assistant-ui/react-ai-sdk";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { AiCore, OpenAiProvider } from "../../../src/ai/index.ts";
import { createChatTransport } from "../../../src/ai/sdks/index.ts";

globalThis.ran = [];
const core = new AiCore();
core.provider = new OpenAiProvider();
const weather = {
  name: "get_weather",
  description: "The weather at a place.",
  parameters: { type: "object", properties: { location: { type: "string" } }, required: ["location"] },
  handler: ({ location }) => (globalThis.ran.push(location), `sunny in ${location}`),
};
const transport = createChatTransport(core, {
  model: "gpt-5",
  apiKey: "any",
  baseUrl: location.origin,
  tools: [weather],
});

const parts = {
  Text: ({ text }) => createElement("p", null, text),
  tools: {
    Fallback: ({ toolName, result }) => createElement("output", null, `${toolName}: ${JSON.stringify(result)}`),
  },
};
const Message = () =>
  createElement(MessagePrimitive.Root, null, createElement(MessagePrimitive.Parts, { components: parts }));

function App() {
  const runtime = useChatRuntime({ transport });
  return createElement(
    AssistantRuntimeProvider,
    { runtime },
    createElement(
      ThreadPrimitive.Root,
      null,
      createElement(ThreadPrimitive.Messages, { components: { Message } }),
      createElement(
        ComposerPrimitive.Root,
        null,
        createElement(ComposerPrimitive.Input, null),
        createElement(ComposerPrimitive.Send, null, "Send"),
      ),
    ),
  );
}

createRoot(document.body.appendChild(document.createElement("main"))).render(createElement(App));
