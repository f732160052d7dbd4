/** The logger of `registerWebMcp`. `console` is one. */
export interface WebMcpLogger {
  info(...output: unknown[]): void;
  warn(...output: unknown[]): void;
  error(...output: unknown[]): void;
}

const label = "[webmcp-adapter]";

const toConsole: WebMcpLogger = {
  info: (...output) => console.info(label, ...output),
  warn: (...output) => console.warn(label, ...output),
  error: (...output) => console.error(label, ...output),
};

const silent: WebMcpLogger = { info() {}, warn() {}, error() {} };

export function chooseLogger({ logger = toConsole, quiet = false }: LoggerOptions): WebMcpLogger {
  return quiet
    ? silent
    : { info: safely(logger, "info"), warn: safely(logger, "warn"), error: safely(logger, "error") };
}

/** A logger that throws must not affect the logged operation. */
function safely(logger: WebMcpLogger, level: keyof WebMcpLogger): (...output: unknown[]) => void {
  return (...output) => {
    try {
      logger[level](...output);
    } catch (error) {
      toConsole.error("The logger threw:", error);
    }
  };
}

export interface LoggerOptions {
  /** The console by default, with "[webmcp-adapter]" before each line. */
  readonly logger?: WebMcpLogger;
  /** Suppress all messages, even to `logger`. */
  readonly quiet?: boolean;
}
