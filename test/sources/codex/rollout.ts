/**
 * Rollouts for tests, row by row:
 *
 *     rollout('t1').turn('gpt-5.5').prompt('fix it').calls('exec_command', { cmd: 'ls' }).counts([10, 4, 2, 1]).rows
 *
 * Every row comes one second after the one before unless `after` says otherwise. Usage is written as
 * [input, cached, output, reasoning], each answer added to the running total.
 */
type Vector = readonly [input: number, cached: number, output: number, reasoning?: number, written?: number];

export class Rollout {
  readonly rows: Record<string, unknown>[] = [];
  total: [number, number, number, number, number] = [0, 0, 0, 0, 0];
  private clock: number;
  private calls_ = 0;
  readonly id: string;

  constructor(id: string, start = '2026-05-01T10:00:00.000Z', meta: Record<string, unknown> = {}) {
    this.id = id;
    this.clock = Date.parse(start) - 1000;
    this.row('session_meta', {
      id,
      timestamp: start,
      cwd: '/work/app',
      originator: 'codex_exec',
      cli_version: '0.142.0',
      ...meta,
    });
  }

  row(type: string, payload: unknown, extra: Record<string, unknown> = {}): this {
    this.clock += 1000;
    this.rows.push({ timestamp: new Date(this.clock).toISOString(), type, payload, ...extra });
    return this;
  }

  item(payload: Record<string, unknown>): this {
    return this.row('response_item', payload);
  }

  event(payload: Record<string, unknown>): this {
    return this.row('event_msg', payload);
  }

  /** The next row comes this many milliseconds after the last one. */
  after(millis: number): this {
    this.clock += millis - 1000;
    return this;
  }

  turn(model: string | undefined, id = `turn-${this.rows.length}`): this {
    this.event({ type: 'task_started', turn_id: id, started_at: Math.floor((this.clock + 1000) / 1000) });
    return model === undefined ? this : this.row('turn_context', { turn_id: id, model, cwd: '/work/app' });
  }

  message(role: string, text: string): this {
    const type = role === 'assistant' ? 'output_text' : 'input_text';
    return this.item({ type: 'message', role, content: [{ type, text }] });
  }

  prompt(text: string): this {
    return this.message('user', text).after(0).event({ type: 'user_message', message: text });
  }

  says(text: string): this {
    return this.event({ type: 'agent_message', message: text }).after(0).message('assistant', text);
  }

  calls(name: string, args: unknown, id = `call_${++this.calls_}`, more: Record<string, unknown> = {}): this {
    return this.item({ type: 'function_call', name, arguments: JSON.stringify(args), call_id: id, ...more });
  }

  patches(patch: string, id = `call_${++this.calls_}`): this {
    return this.item({ type: 'custom_tool_call', name: 'apply_patch', input: patch, call_id: id });
  }

  gives(output: unknown, id = `call_${this.calls_}`): this {
    return this.item({ type: 'function_call_output', call_id: id, output });
  }

  counts(vector: Vector): this {
    this.add(vector);
    return this.again(vector);
  }

  /** token_count without anything spent. */
  again(vector: Vector): this {
    return this.event({
      type: 'token_count',
      info: { total_token_usage: usage(this.total), last_token_usage: usage(vector) },
    });
  }

  records(vector: Vector, response: string, more: Record<string, unknown> = {}): this {
    this.add(vector);
    return this.row('token_usage_record', {
      thread_id: this.id,
      response_id: response,
      usage: usage(vector),
      thread_token_usage: usage(this.total),
      ...more,
    });
  }

  /** Takes over the rows of another thread as a fork does: same payloads, all with the present time. */
  copies(other: Rollout, from = 0, to = other.rows.length): this {
    for (const row of other.rows.slice(from, to)) this.after(0).row(row.type as string, row.payload);
    this.total = [...other.total];
    return this;
  }

  private add(vector: Vector): void {
    this.total = this.total.map((sum, i) => sum + (vector[i] ?? 0)) as typeof this.total;
  }
}

export function rollout(id: string, start?: string, meta?: Record<string, unknown>): Rollout {
  return new Rollout(id, start, meta);
}

export function usage(vector: Vector): Record<string, number> {
  const [input, cached, output, reasoning = 0, written = 0] = vector;
  return {
    input_tokens: input,
    cached_input_tokens: cached,
    cache_write_input_tokens: written,
    output_tokens: output,
    reasoning_output_tokens: reasoning,
    total_tokens: input + output,
  };
}
