import { useState } from "react";
import type { FormEvent } from "react";
import type { AiAgent, AiAgentValues } from "pagewire/ai-agent";
import { useWcBindable } from "pagewire/bindable/react";
import { said } from "../said.ts";

export function Chat() {
  const [ref, values] = useWcBindable<AiAgent, AiAgentValues>();
  const [prompt, setPrompt] = useState("");
  const [refusal, setRefusal] = useState("");

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!ref.current) return;
    ref.current.prompt = prompt;
    setPrompt("");
    setRefusal("");
    ref.current.send().catch((error: unknown) => setRefusal(String(error)));
  }

  const { messages, turn, problem } = said(values);
  return (
    <>
      <h1>Chat</h1>
      <ai-agent ref={ref} />
      <ol aria-label="Conversation" aria-live="polite">
        {messages.map(({ id, role, text }) => (
          <li key={id} className={role}>
            {text}
          </li>
        ))}
        {turn && <li className="assistant">{turn}</li>}
      </ol>
      <p role="alert">{refusal || problem}</p>
      <form onSubmit={submit}>
        <input
          aria-label="Message"
          required
          autoComplete="off"
          value={prompt}
          onChange={(event) => setPrompt(event.target.value)}
        />
        <button disabled={values.loading}>Send</button>
        <button type="button" disabled={!values.loading} onClick={() => ref.current?.abort()}>
          Stop
        </button>
      </form>
    </>
  );
}
