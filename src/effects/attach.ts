import type { FileEffect } from '../trace/fields.ts';
import { Kind, NO_ROW } from '../trace/kinds.ts';
import type { Operations } from '../trace/operations.ts';
import { domainOf } from './hosts.ts';
import { Project } from './paths.ts';
import { providerDomain, searchDomain } from './providers.ts';
import { Readings } from './readings.ts';
import type { ShellEffect } from './shell/call.ts';
import { joined } from './shell/touched.ts';
import { loadShellParser } from './shell.ts';
import { graver, type Unsafe, unsafeEffect } from './unsafe.ts';

/** The directories of a session's project; see Project in paths.ts. */
export type RootsOf = (session: number) => { readonly roots: readonly string[] };

export interface EffectsOptions {
  /** Loads the tree parser when the first command needs it; replaced in tests. */
  readonly loadParser?: typeof loadShellParser;
  /** 1 for rows of which an earlier run did all that there was to do: they get more only where touches name them. */
  readonly attached?: Uint8Array;
}

export interface EffectsReport {
  /** Effect rows appended: of files, and of contacts. */
  readonly files: number;
  readonly contacts: number;
  /** Call rows that got the domain of their provider. */
  readonly providers: number;
  /** Distinct command lines, those the lexer took alone, and those not understood whole. */
  readonly commands: number;
  readonly lexed: number;
  readonly partial: number;
  /** Tool rows by class of `unsafe`. */
  readonly unsafe: Readonly<Record<Unsafe, number>>;
}

/**
 * Turns what readers noted (`ops.touches`) into effects, and clears it:
 *
 * - one row of Kind.effect for each file and effect, and for each domain, of a tool call, under the tool row and with its
 *   session, start and evidence; a file touched twice in the same way counts once. Fields: `file` and `effect`, or
 *   `domain`; `process` where a program did it (a list joined by U+001F, outermost first). All else is the tool row's.
 * - `command` and `unsafe` on the tool row.
 * - `domain` on call rows: the host of the model's provider. A call is one contact, so it needs no row of its own.
 * - a tool of an MCP server contacts `mcp:<server>`: where the server itself runs is in no history.
 *
 * Rows are appended in the order of their tool rows, whatever order the touches came in.
 */
export async function attachEffects(
  ops: Operations,
  rootsOf: RootsOf,
  options: EffectsOptions = {},
): Promise<EffectsReport> {
  const readings = new Readings(options.loadParser ?? loadShellParser);
  const attaching = new Attaching(ops, rootsOf, readings, options.attached);
  for (let wants = attaching.run(); wants !== undefined; wants = attaching.run())
    await readings.prepare(wants.text, wants.powerShell);
  ops.touches.clear();
  const { commands, lexed, partial } = readings;
  return { ...attaching.counts(), commands, lexed, partial };
}

function isPowerShell(ops: Operations, row: number): boolean {
  return /powershell|pwsh/i.test(ops.field.tool.get(row));
}

/** Indexes of touches by row; touches of one row keep their order. */
function touchOrder(rows: readonly number[]): Uint32Array {
  const order = Uint32Array.from(rows, (_, index) => index);
  let sorted = true;
  for (let i = 1; i < rows.length && sorted; i++) sorted = (rows[i - 1] as number) <= (rows[i] as number);
  if (!sorted) order.sort((a, b) => (rows[a] as number) - (rows[b] as number) || a - b);
  return order;
}

/** What one tool call contacts or does to files, before it becomes rows. */
class Attaching {
  private readonly ops: Operations;
  private readonly rootsOf: RootsOf;
  private readonly readings: Readings;
  private readonly projects = new Map<string, Project>();
  private readonly seen = new Set<string>();
  private readonly domains = new Map<string, number>();
  private files = 0;
  private contacts = 0;
  private providers = 0;
  private readonly unsafe: Record<Unsafe, number> = { destructive: 0, 'secret-file': 0, 'outside-project': 0 };
  private row = 0;
  private worst: Unsafe | '' = '';
  private project = new Project([]);
  private projectSession = -1;
  private readonly attached: EffectsOptions['attached'];
  /** Rows there were at first, those that are done, touches by their rows, and those of these that are done. */
  private readonly rows: number;
  private done = 0;
  private readonly order: Uint32Array;
  private next = 0;
  /** What `call` found last: calls stand beside others of their session and model. */
  private lastSession = -1;
  private lastModel = -1;
  private lastDomain = 0;

  constructor(ops: Operations, rootsOf: RootsOf, readings: Readings, attached: EffectsOptions['attached']) {
    this.ops = ops;
    this.rootsOf = rootsOf;
    this.readings = readings;
    this.attached = attached;
    this.rows = ops.length;
    this.order = touchOrder(ops.touches.rows);
  }

  /** Goes on with the rows that are left; gives the command that can only be read once the tree parser is loaded. */
  run(): { readonly text: string; readonly powerShell: boolean } | undefined {
    const { ops, order, rows, attached } = this;
    const { cells: kinds } = ops.kind;
    const { rows: touched } = ops.touches;
    const { mcp_server: server } = ops.field;
    const anyServer = server.values.length > 1;
    if (order.length === 0 && !anyServer && !ops.hasKind(Kind.call)) this.done = rows;
    for (; this.done < rows; this.done++) {
      if (attached?.[this.done] === 1) this.done = this.nextAfter(attached);
      const row = this.done;
      if (row >= rows) break;
      const kind = kinds[row] ?? 0;
      if (kind === Kind.tool) {
        const first = this.next;
        let last = first;
        while (last < order.length && touched[order[last] as number] === row) last++;
        if (last > first) {
          const unread = this.unread(row, first, last);
          if (unread !== undefined) return { text: unread, powerShell: isPowerShell(ops, row) };
          this.tool(row, order, first, last);
          this.next = last;
        } else if (anyServer && server.codeAt(row) !== 0 && attached?.[row] !== 1) this.tool(row, order, first, last);
      } else {
        if (kind === Kind.call && attached?.[row] !== 1) this.call(row);
        this.passOver(row);
      }
    }
    return undefined;
  }

  /** The next row, from the one at hand on, that is not attached or has touches. */
  private nextAfter(attached: Uint8Array): number {
    const { order, rows, done } = this;
    const { rows: touched } = this.ops.touches;
    while (this.next < order.length && (touched[order[this.next] as number] as number) < done) this.next++;
    const fresh = attached.indexOf(0, done);
    const named = this.next < order.length ? (touched[order[this.next] as number] as number) : rows;
    return Math.min(fresh < 0 ? rows : fresh, named);
  }

  /** The first command among some touches that the lexer alone cannot read. */
  private unread(row: number, first: number, last: number): string | undefined {
    const { kinds, values } = this.ops.touches;
    for (let i = first; i < last; i++) {
      const at = this.order[i] as number;
      if (kinds[at] !== 'shell') continue;
      const text = values[at] as string;
      if (!this.readings.get(text, isPowerShell(this.ops, row))) return text;
    }
    return undefined;
  }

  /** Touches of anything but a tool call would be a reader's mistake. */
  private passOver(row: number): void {
    const { order } = this;
    const { rows } = this.ops.touches;
    while (this.next < order.length && (rows[order[this.next] as number] as number) <= row) this.next++;
  }

  counts(): Pick<EffectsReport, 'files' | 'contacts' | 'providers' | 'unsafe'> {
    const { files, contacts, providers, unsafe } = this;
    return { files, contacts, providers, unsafe };
  }

  private call(row: number): void {
    const { field, session } = this.ops;
    if (field.domain.codeAt(row) !== 0) return;
    const its = session.get(row);
    const model = field.model.codeAt(row);
    if (its !== this.lastSession || model !== this.lastModel) {
      this.lastSession = its;
      this.lastModel = model;
      this.lastDomain = this.provider(row, model);
    }
    if (this.lastDomain === 0) return;
    field.domain.setCode(row, this.lastDomain);
    this.providers++;
  }

  private provider(row: number, model: number): number {
    const { field } = this.ops;
    const agent = this.agent(row);
    const key = `${agent}\n${model}`;
    let code = this.domains.get(key);
    if (code === undefined) {
      code = field.domain.code(providerDomain(field.model.get(row), agent));
      this.domains.set(key, code);
    }
    return code;
  }

  /** The touches `order[from..to)` of one tool row. */
  private tool(row: number, order: Uint32Array, from: number, to: number): void {
    const { ops } = this;
    const { kinds, values, others } = ops.touches;
    this.row = row;
    this.worst = '';
    this.seen.clear();
    const session = ops.session.get(row);
    if (session !== this.projectSession) this.enter(session);
    const cwd = ops.field.cwd.get(row) || (ops.sessions.all[session]?.cwd ?? '');
    let searches = false;
    let contacted = this.contacts;
    for (let i = from; i < to; i++) {
      const at = order[i] as number;
      const value = values[at] as string;
      const other = others[at] as string;
      const kind = kinds[at];
      switch (kind) {
        case undefined:
          break;
        case 'shell':
          this.shell(value, other === '' ? cwd : joined(cwd, other));
          break;
        case 'search':
          searches = true;
          break;
        case 'url':
        case 'host':
          if (value.startsWith('file:')) this.touch('read', value, cwd, '');
          else this.contact(domainOf(value), '');
          break;
        default:
          if (/^[a-z][a-z0-9+.-]+:\/\//i.test(value) && !value.startsWith('file:')) {
            this.contact(domainOf(value), '');
            break;
          }
          this.touch(kind, value, cwd, '');
          if (kind === 'move') this.touch('create', other, cwd, '');
      }
    }
    if (searches && this.contacts === contacted) this.contact(this.search(row), '');
    contacted = ops.field.mcp_server.codeAt(row);
    if (contacted !== 0) this.contact(`mcp:${ops.field.mcp_server.get(row)}`, '');
    if (this.worst !== '') {
      this.unsafe[this.worst]++;
      ops.field.unsafe.set(row, this.worst);
    }
  }

  private enter(session: number): void {
    const { roots } = this.rootsOf(session);
    const key = roots.join('\n');
    let project = this.projects.get(key);
    if (!project) {
      project = new Project(roots);
      this.projects.set(key, project);
    }
    this.project = project;
    this.projectSession = session;
  }

  private agent(row: number): string {
    return this.ops.sessions.all[this.ops.session.get(row)]?.agent ?? '';
  }

  private search(row: number): string {
    const { ops } = this;
    const parent = ops.parentOf(row);
    const asker = parent === NO_ROW || ops.kind.get(parent) !== Kind.call ? row : parent;
    return searchDomain(this.agent(row), ops.field.model.get(asker));
  }

  private shell(text: string, cwd: string): void {
    const reading = this.readings.get(text, isPowerShell(this.ops, this.row));
    if (!reading) return;
    const { command } = this.ops.field;
    if (command.codeAt(this.row) === 0) command.set(this.row, reading.command);
    if (reading.destructive) this.worst = graver(this.worst, 'destructive');
    for (const { kind, value, process } of reading.effects as readonly ShellEffect[]) {
      if (kind === 'contact') this.contact(value, process);
      else this.touch(kind, value, cwd, process);
    }
  }

  private touch(kind: FileEffect, path: string, cwd: string, process: string): void {
    const place = this.project.place(path, cwd);
    if (place === '') return;
    this.worst = graver(this.worst, unsafeEffect(kind, path, place));
    // Outside the project many files have one name that may be shown.
    const key = `${kind} ${place} ${this.project.identity(path, cwd)}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    const row = this.append(process);
    this.ops.field.file.set(row, place);
    this.ops.field.effect.set(row, kind);
    this.files++;
  }

  private contact(domain: string, process: string): void {
    if (domain === '' || this.seen.has(domain)) return;
    this.seen.add(domain);
    const row = this.append(process);
    this.ops.field.domain.set(row, domain);
    this.contacts++;
  }

  private append(process: string): number {
    const { ops, row } = this;
    const added = ops.add(
      Kind.effect,
      ops.session.get(row),
      row,
      ops.start.get(row),
      ops.file.get(row),
      ops.offset.get(row),
      ops.bytes.get(row),
    );
    if (process !== '') ops.field.process.set(added, process);
    return added;
  }
}
