import { PagewireProvider } from "pagewire/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { AgentPanel } from "./agent-panel.tsx";
import { TeaTable } from "./tea-table.tsx";

const root = document.querySelector<HTMLElement>("#root");
if (!root) throw new Error("The page has no #root.");

const options = { app: "tea-stock", ...(root.dataset["hub"] && { hub: root.dataset["hub"] }) };

createRoot(root).render(
  <StrictMode>
    <PagewireProvider options={options}>
      <header>
        <h1>Tea stock</h1>
        <p>Filter, sort and select, or let an agent do it: every tool does what a control of the table does.</p>
      </header>
      <main>
        <TeaTable />
        <AgentPanel />
      </main>
    </PagewireProvider>
  </StrictMode>,
);
