// Terminals by hand: a pty for each socket. What is typed and, where views say how far they came, that: each is a message
// whose first letter tells which it is.
import { createServer } from "node:http";
import { spawn } from "@lydell/node-pty";
import type { IPty } from "@lydell/node-pty";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import { listen } from "../hubs/listen.ts";
import type { Parameters, ShellParameters, Started } from "../harness/role.ts";
import { environmentIn } from "./terminal-home.ts";

/** So much may be on its way before the pty waits, and half of it when it goes on: as much as Pagewire's limit. */
const most = 1024 * 1024;

/** The floor: bytes go on as they come, and the pty waits for the socket. */
export function startByteTerminals(parameters: Parameters): Promise<Started> {
  return serve(parameters, null, (pty, socket) => {
    let isPaused = false;
    const sent = () => {
      if (!isPaused || socket.bufferedAmount > most / 2) return;
      isPaused = false;
      pty.resume();
    };
    pty.onData((data) => {
      socket.send(data, sent);
      if (isPaused || socket.bufferedAmount <= most) return;
      isPaused = true;
      pty.pause();
    });
  });
}

/** As the documentation of xterm.js shows it: text, and the pty waits for a view that has not said it was shown. */
export function startTextTerminals(parameters: Parameters): Promise<Started> {
  return serve(parameters, "utf8", (pty, socket) => {
    let unseen = 0;
    let isPaused = false;
    pty.onData((text) => {
      socket.send(text);
      unseen += text.length;
      if (isPaused || unseen <= most) return;
      isPaused = true;
      pty.pause();
    });
    socket.on("message", (data: Buffer) => {
      const message = data.toString();
      if (!message.startsWith("s")) return;
      unseen -= Number(message.slice(1));
      if (!isPaused || unseen > most / 2) return;
      isPaused = false;
      pty.resume();
    });
  });
}

type Show = (pty: IPty, socket: WebSocket) => void;

function serve({ shell }: Parameters, encoding: "utf8" | null, show: Show): Promise<Started> {
  if (!shell) throw new Error("Terminals by hand are told where their shells are at home.");
  const server = createServer();
  new WebSocketServer({ server, perMessageDeflate: false }).on("connection", (socket) => {
    const pty = startShell(shell, encoding);
    show(pty, socket);
    socket.on("message", (data: Buffer) => {
      const message = data.toString();
      if (message.startsWith("i")) pty.write(message.slice(1));
    });
    socket.on("close", () => pty.kill());
  });
  return listen(server);
}

function startShell({ home, inTmux }: ShellParameters, encoding: "utf8" | null): IPty {
  const [file, args] = inTmux ? ["tmux", ["-u", "new-session", "exec /bin/bash"]] : ["/bin/bash", []];
  const env = { ...environmentIn(home) };
  return spawn(file, args, { name: "xterm-256color", cols: 80, rows: 24, cwd: home, env, encoding });
}
