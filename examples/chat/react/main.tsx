import { createRoot } from "react-dom/client";
// First: it says where the model is.
import "pagewire/ai-agent/auto/remoteEnv";
import { Chat } from "./chat.tsx";

const root = document.querySelector("#root");
if (root) createRoot(root).render(<Chat />);
