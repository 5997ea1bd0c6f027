// @ts-check
// The arguments and results of Claude Code's tools, in the sizes people's histories have.
import { COMMANDS, outputLength, someFile } from './shape.mjs';

/** @typedef {import('./shape.mjs').Shape} Shape */
/** @typedef {Record<string, unknown>} Input */

/** @param {Shape} shape @param {string} name @param {string} cwd @returns {Input} */
export function toolInput(shape, name, cwd) {
  const { chance, texts } = shape;
  switch (name) {
    case 'Bash': {
      const script = chance.happens(0.12);
      const plain = `${chance.happens(0.3) ? `cd ${cwd} && ` : ''}${chance.pick(COMMANDS)}`;
      const command = script ? `python3 - <<'EOF'\n${texts.cut('code', chance.around(500, 0.9))}\nEOF` : plain;
      return { command, description: texts.words(30), ...(chance.happens(0.2) ? { timeout: 120_000 } : {}) };
    }
    case 'Read':
      return {
        file_path: someFile(shape, cwd),
        ...(chance.happens(0.3) ? { offset: chance.between(1, 900), limit: 100 } : {}),
      };
    case 'Edit': {
      const [old_string, new_string] = [
        texts.cut('code', chance.around(250, 1)),
        texts.cut('code', chance.around(380, 1)),
      ];
      return { file_path: someFile(shape, cwd), old_string, new_string };
    }
    case 'Write':
      return { file_path: someFile(shape, cwd), content: texts.code(chance.around(3_500, 1.1)) };
    case 'Grep':
      return { pattern: texts.name(), path: `${cwd}/src`, output_mode: 'content', '-n': true };
    case 'Glob':
      return { pattern: '**/*.ts' };
    case 'TodoWrite': {
      const todo = () => ({ content: texts.words(50), status: 'pending', activeForm: texts.words(40) });
      return { todos: Array.from({ length: chance.between(3, 9) }, todo) };
    }
    case 'Task': {
      const subagent_type = chance.pick(['general-purpose', 'Explore']);
      return { description: texts.words(20), prompt: texts.prose(chance.around(1_200, 0.8)), subagent_type };
    }
    case 'WebFetch':
      return { url: `https://example.com/${texts.name()}`, prompt: texts.words(60) };
    default:
      return { owner: texts.name(), repo: texts.name(), path: `${texts.name()}.md` };
  }
}

/** @typedef {{ content: unknown, result: unknown, failed?: boolean }} Result */

/** @param {Shape} shape @returns {Result} */
function picture({ chance, texts, longest }) {
  const data = texts.cut('base64', Math.min(longest, chance.around(180_000, 0.8)));
  const content = [{ type: 'image', source: { type: 'base64', data, media_type: 'image/png' } }];
  const file = { base64: data, type: 'image/png', originalSize: Math.floor(data.length * 0.75) };
  return { content, result: { type: 'image', file } };
}

/** @param {Shape} shape @param {Input} input @returns {Result} */
function edited({ chance, texts, longest }, input) {
  const lines = texts
    .cut('code', 700)
    .split('\n')
    .map(line => chance.pick([' ', '+', '-']) + line);
  const at = () => chance.between(1, 500);
  return {
    content: `The file ${input.file_path} has been updated:\n${texts.cut('numbered', chance.between(300, 1200))}`,
    result: {
      filePath: input.file_path,
      oldString: input.old_string,
      newString: input.new_string,
      originalFile: texts.code(Math.min(longest, chance.around(9_000, 1.2))),
      structuredPatch: [{ oldStart: at(), oldLines: 8, newStart: at(), newLines: 10, lines }],
      userModified: false,
      replaceAll: false,
    },
  };
}

/** @param {Shape} shape @param {string} name @param {Input} input @param {string} cwd @returns {Result} */
export function toolResult(shape, name, input, cwd) {
  const { chance, texts, longest, images } = shape;
  const length = outputLength(shape);
  if (chance.happens(images)) return picture(shape);
  switch (name) {
    case 'Bash': {
      const text = texts.printed(Math.min(length, 30_000));
      const said = `Exit code 1\n${text}`;
      if (chance.happens(0.08)) return { content: said, failed: true, result: `Error: ${said}` };
      return { content: text, result: { stdout: text, stderr: '', interrupted: false, isImage: false } };
    }
    case 'Read': {
      const content = texts.code(Math.min(longest, Math.round(length * 2.2)), 'numbered');
      const file = {
        filePath: input.file_path,
        content,
        numLines: chance.between(1, 2000),
        startLine: 1,
        totalLines: 2000,
      };
      return { content, result: { type: 'text', file } };
    }
    case 'Edit':
      return edited(shape, input);
    case 'Write': {
      const result = { type: 'create', filePath: input.file_path, content: input.content, structuredPatch: [] };
      return { content: `File created successfully at: ${input.file_path}`, result };
    }
    case 'Grep': {
      const content = texts.cut('grep', Math.min(length, 60_000));
      return {
        content,
        result: { mode: 'content', numFiles: 0, filenames: [], content, numLines: chance.between(1, 300) },
      };
    }
    case 'Glob': {
      const filenames = Array.from({ length: chance.between(0, 60) }, () => someFile(shape, cwd));
      const result = { filenames, durationMs: chance.between(4, 90), numFiles: filenames.length, truncated: false };
      return { content: filenames.join('\n'), result };
    }
    case 'TodoWrite':
      return { content: 'The list has been changed.', result: { oldTodos: input.todos, newTodos: input.todos } };
    case 'Task': {
      const content = [{ type: 'text', text: texts.prose(chance.around(4_000, 0.8)) }];
      const usage = { input_tokens: 4, output_tokens: chance.between(100, 4_000) };
      const totals = {
        totalDurationMs: chance.between(1e4, 3e5),
        totalTokens: chance.between(1e4, 9e4),
        totalToolUseCount: 4,
      };
      return { content, result: { status: 'completed', prompt: input.prompt, content, ...totals, usage } };
    }
    default: {
      const content = [{ type: 'text', text: texts.cut(chance.pick(['prose', 'json', 'json']), length) }];
      return { content, result: content };
    }
  }
}
