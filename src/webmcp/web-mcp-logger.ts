/** The logger of `registerWebMcp`. `console` is one. */
export interface WebMcpLogger {
  info(...said: unknown[]): void;
  warn(...said: unknown[]): void;
  error(...said: unknown[]): void;
}

const label = "[webmcp-adapter]";

const toConsole: WebMcpLogger = {
  info: (...said) => console.info(label, ...said),
  warn: (...said) => console.warn(label, ...said),
  error: (...said) => console.error(label, ...said),
};

const silent: WebMcpLogger = { info() {}, warn() {}, error() {} };

export function chooseLogger({ logger = toConsole, quiet = false }: LoggerOptions): WebMcpLogger {
  return quiet
    ? silent
    : { info: safely(logger, "info"), warn: safely(logger, "warn"), error: safely(logger, "error") };
}

/** A logger that throws must not affect the logged operation. */
function safely(logger: WebMcpLogger, level: keyof WebMcpLogger): (...said: unknown[]) => void {
  return (...said) => {
    try {
      logger[level](...said);
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
