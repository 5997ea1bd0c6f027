import type { Command } from 'commander';
import { historyOptions, meaningOptions, recordingOptions } from './options.ts';

/** `export`: operations out, for other tools. */
export function declareExport(program: Command): void {
  recordingOptions(meaningOptions(historyOptions(program.command('export'))))
    .description(
      'write operations for other tools: OTLP spans, Chrome trace, CSV, OpenMetrics; or send them to an OTLP endpoint',
    )
    .option('--format <name>', 'otlp-json, otlp-proto, chrome-trace, csv or openmetrics; else the ending of -o says it')
    .option('-o, --output <file>', 'write to this file; - is standard output')
    .option('--otlp-endpoint <url>', 'send the spans to this OTLP/HTTP receiver, and nothing without this option')
    .option(
      '--otlp-header <header>',
      'NAME=VALUE for the receiver (repeatable); OTEL_EXPORTER_OTLP_HEADERS too',
      (value: string, before: string[]) => [...before, value],
      [],
    )
    .option('--include-previews', 'put the words of prompts into the spans, secrets replaced')
    .option('--json', 'print what was sent as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async flags => (await import('./export.ts')).exportCommand(flags));
}

const EXAMPLES = `
Examples:
  agentpprof export --since 7d -o spans.jsonl                 OTLP spans as JSON, a batch a line
  agentpprof export --format csv -o operations.csv            one line an operation, all measures
  agentpprof export --format openmetrics -o agents.prom       totals for Prometheus
  agentpprof export --otlp-endpoint http://127.0.0.1:4318     to a collector on this machine`;
