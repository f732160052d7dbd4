import { useWebMcp } from "pagewire/react";
import { useState } from "react";
import { useBrowserTools } from "./browser-tools.ts";
import { isNative } from "./is-native.ts";
import { ToolCard } from "./tool-card.tsx";
import { useLog } from "./use-log.ts";
import { usePageTools } from "./use-page-tools.ts";

export function App() {
  const { entries, say } = useLog();
  const [isOn, setIsOn] = useState(true);
  usePageTools();
  const server = useWebMcp(
    isOn && {
      url: "/mcp",
      prefix: "remote.",
      quiet: true,
      onSync: (tools) => say(`The server offers ${tools.length} tools.`),
      onError: (error) => say(error.message),
    },
  );
  const tools = useBrowserTools();

  function turn(on: boolean) {
    setIsOn(on);
    say(on ? "Connecting." : "Disconnected: the server's tools are gone.");
  }

  async function refresh() {
    say("Reading the server's list again.");
    await server.refresh();
  }

  return (
    <>
      <header>
        <h1>One list of tools</h1>
        <p>
          What this page can do and what its server can do, registered with{" "}
          {isNative ? "the browser’s own" : "the polyfill’s"} <code>document.modelContext</code>.
        </p>
      </header>
      <main>
        <section aria-label="Tools">
          {tools.map((tool) => (
            <ToolCard
              key={tool.name}
              tool={tool}
              source={server.tools.includes(tool.name) ? "remote" : "page"}
              onAnswer={(words) => say(`${tool.name}: ${words}`)}
            />
          ))}
        </section>
        <aside>
          <section aria-label="Server" className={`server ${server.status}`}>
            <h2>Server</h2>
            <p role="status">
              {isOn ? server.status : "disconnected"}, {server.tools.length} tools
            </p>
            {server.error && <p role="alert">{server.error.message}</p>}
            <div className="buttons">
              <button type="button" disabled={isOn} onClick={() => turn(true)}>
                Connect
              </button>
              <button type="button" disabled={!isOn} onClick={() => turn(false)}>
                Disconnect
              </button>
              <button type="button" disabled={!isOn} onClick={() => void refresh()}>
                Refresh
              </button>
            </div>
          </section>
          <section aria-label="Log">
            <h2>Log</h2>
            <ol>
              {entries.map(({ id, time, text }) => (
                <li key={id}>
                  <time>{time}</time> {text}
                </li>
              ))}
            </ol>
          </section>
        </aside>
      </main>
    </>
  );
}
