/** The worker by hand: one socket to the hub; each string is passed on as it is, from it to the tab that spoke last. */
export function createFloorWorker(hub: string | null): (tab: MessagePort) => void {
  const tabs = new Set<MessagePort>();
  let last: MessagePort | undefined;
  let socket = open();

  function open(): WebSocket {
    const opened = new WebSocket(`ws://127.0.0.1:${hub}/page`);
    opened.onopen = () => tabs.forEach(greet);
    opened.onmessage = ({ data }) => last?.postMessage(data);
    opened.onclose = () => setTimeout(() => (socket = open()), 250);
    return opened;
  }

  return (tab) => {
    tabs.add(tab);
    tab.onmessage = ({ data }: MessageEvent<string>) => {
      last = tab;
      socket.send(data);
    };
    if (socket.readyState === WebSocket.OPEN) greet(tab);
  };
}

/** Nothing in a message says that the socket is open: the tab may speak. */
function greet(tab: MessagePort): void {
  tab.postMessage("");
}
