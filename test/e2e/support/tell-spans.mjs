// Preloaded with `node --import tell-spans.mjs`: prints each span of the process as a line of JSON on stderr.
import { trace } from "@opentelemetry/api";
import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";

const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext();
      console.error(JSON.stringify({ span: span.name, traceId, spanId, parent: span.parentSpanContext?.spanId }));
    }
    done({ code: 0 });
  },
  shutdown: async () => {},
};

trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
