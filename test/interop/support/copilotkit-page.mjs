// A chat of CopilotKit's, whose agent on a server uses the tools of this page.
import { CopilotChat, CopilotKitProvider } from "@copilotkit/react-core/v2";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { copilotKitTools } from "../../../src/ai/sdks/index.ts";
import { createShelf } from "./shelf.ts";

const { toolbox, asked } = createShelf();
globalThis.asked = asked;
const frontendTools = await copilotKitTools(toolbox);
const runtimeUrl = new URLSearchParams(location.search).get("runtime");
const chat = createElement(CopilotChat);
createRoot(document.body.appendChild(document.createElement("main"))).render(
  createElement(CopilotKitProvider, { runtimeUrl, frontendTools }, chat),
);
