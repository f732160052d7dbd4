// The other project's two ends of the bridge, written by hand from the seed's "Implementation Details" and "Security",
// without any of our code.

/** Their agent's page, for parents of this origin. `client.callTool(…)` is a call that its backend would request. */
export function stockAgentPage(parentOrigin: string): string {
  return `<!doctype html><title>Stock agent</title><input id="input">
<script>
  const origin = ${JSON.stringify(parentOrigin)};
  class ParentWindowMCPClient {
    allowedOrigins = [origin];
    pendingCalls = new Map();
    timeoutMs = 30000;
    tools = [];
    pings = [];
    answersPings = true;
    constructor() {
      window.addEventListener('message', (event) => this.handleParentMessage(event));
    }
    isValidOrigin(origin) {
      return this.allowedOrigins.includes(origin);
    }
    handleParentMessage(event) {
      if (!this.isValidOrigin(event.origin)) {
        console.warn('Message from unauthorized origin:', event.origin);
        return;
      }
      const { type, payload } = event.data;
      if (type === 'tools_list') this.tools = payload.tools;
      if (type === 'inject_message') this.handleInjectMessage(payload);
      if (type === 'tool_response') this.handleToolResponse(payload);
      if (type === 'ping') {
        this.pings.push(Date.now());
        if (this.answersPings) event.source.postMessage({ type: 'pong', payload: { timestamp: Date.now() } }, event.origin);
      }
    }
    handleInjectMessage({ message, autoSend }) {
      window.dispatchEvent(new CustomEvent('parent-inject-message', { detail: { message, autoSend } }));
    }
    async callTool(toolName, args) {
      return new Promise((resolve, reject) => {
        const callId = \`call_\${Date.now()}_\${Math.random()}\`;
        const timeoutId = setTimeout(() => {
          this.pendingCalls.delete(callId);
          reject(new Error(\`Timeout: \${toolName}\`));
        }, this.timeoutMs);
        this.pendingCalls.set(callId, { resolve, reject, timeoutId });
        window.opener.postMessage({
          type: 'tool_call',
          payload: { call_id: callId, tool_name: toolName, arguments: args }
        }, origin);
      });
    }
    handleToolResponse(payload) {
      const pending = this.pendingCalls.get(payload.call_id);
      if (!pending) return;
      this.pendingCalls.delete(payload.call_id);
      clearTimeout(pending.timeoutId);
      if (payload.success) pending.resolve(payload.result);
      else pending.reject(new Error(payload.error));
    }
  }
  window.client = new ParentWindowMCPClient();
  window.sent = [];
  window.addEventListener('parent-inject-message', (event) => {
    const { message, autoSend } = event.detail;
    document.getElementById('input').value = message;
    if (autoSend) window.sent.push(message);
  });
</script>`;
}

/** Their parent's page, for an agent at this origin. Its button opens the agent. */
export function stockParentPage(agentOrigin: string): string {
  return `<!doctype html><title>Stock parent</title><button id="open">Open AI Assistant</button>
<script>
  class SeahorseAgentBridge {
    tools = [];
    toolHandlers = new Map();
    agentWindow = null;
    agentOrigin = ${JSON.stringify(agentOrigin)};
    isConnected = false;
    calls = 0;
    constructor() {
      window.addEventListener('message', (event) => {
        if (event.origin !== this.agentOrigin) return;
        const { type, payload } = event.data;
        if (type === 'tool_call') this.handleToolCall(payload);
        if (type === 'pong' && !this.isConnected) {
          this.isConnected = true;
          this.sendToolsToAgent();
        }
      });
    }
    registerTool(tool) {
      this.tools.push(tool);
      this.sendToolsToAgent();
    }
    onToolCall(toolName, handler) {
      this.toolHandlers.set(toolName, handler);
    }
    openAgent() {
      this.agentWindow = window.open(this.agentOrigin, 'seahorse-agent');
      setInterval(() => this.agentWindow.postMessage({ type: 'ping', payload: { timestamp: Date.now() } }, this.agentOrigin), 200);
    }
    sendToolsToAgent() {
      if (!this.agentWindow) return;
      this.agentWindow.postMessage({ type: 'tools_list', payload: { tools: this.tools } }, this.agentOrigin);
    }
    injectMessage(message, options) {
      this.agentWindow.postMessage({
        type: 'inject_message',
        payload: { message, autoSend: options?.autoSend }
      }, this.agentOrigin);
    }
    async handleToolCall(payload) {
      this.calls += 1;
      const handler = this.toolHandlers.get(payload.tool_name);
      try {
        const result = await handler(payload.arguments);
        this.agentWindow.postMessage({
          type: 'tool_response',
          payload: { call_id: payload.call_id, result: result, success: true }
        }, this.agentOrigin);
      } catch (error) {
        this.agentWindow.postMessage({
          type: 'tool_response',
          payload: { call_id: payload.call_id, error: error.message, success: false }
        }, this.agentOrigin);
      }
    }
  }
  window.bridge = new SeahorseAgentBridge();
  document.getElementById('open').addEventListener('click', () => bridge.openAgent());
</script>`;
}
