import { useState } from "react";
import { AiChat } from "pagewire/ai-chat/react";

export function Chat() {
  const [count, setCount] = useState(0);
  return (
    <AiChat greeting="Chat" starters={["What can you do?"]} onMessages={(messages) => setCount(messages.length)}>
      <h1 slot="title">Chat{count > 0 && `, ${count} messages`}</h1>
    </AiChat>
  );
}
