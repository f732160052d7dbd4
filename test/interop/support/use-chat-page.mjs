// A chat of `useChat`, whose questions the hub's model answers through the `<ai-agent>` of this page.
import { useChat } from "@ai-sdk/react";
import { lastAssistantMessageIsCompleteWithApprovalResponses } from "ai-7";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { createChatTransport } from "../../../src/ai/sdks/index.ts";

await customElements.whenDefined("ai-agent");
const transport = createChatTransport(document.querySelector("ai-agent"));

function Chat() {
  const { messages, error, sendMessage, regenerate, addToolApprovalResponse } = useChat({
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  globalThis.chat = { messages, error, sendMessage, regenerate, addToolApprovalResponse };
  const parts = messages.flatMap(({ parts }) => parts);
  return parts.map(({ text, output, state, approval }, index) =>
    state === "approval-requested"
      ? createElement(
          "button",
          { key: index, onClick: () => addToolApprovalResponse({ id: approval.id, approved: true }) },
          "Allow",
        )
      : createElement("p", { key: index }, text ?? output),
  );
}

createRoot(document.querySelector("main")).render(createElement(Chat));
