import { commandName } from './command.ts';
import { lexShell } from './shell/lexer.ts';
import type { ShellParser } from './shell/parser.ts';
import { NAMELESS } from './shell/program.ts';
import { runScript, type ShellReading } from './shell/run.ts';
import type { Script } from './shell/syntax.ts';
import { withoutMarkers } from './shell/syntax.ts';
import { treeShell } from './shell/tree.ts';

export { PROCESS_SEPARATOR } from './shell/call.ts';
export { loadShellParser, type ShellParser } from './shell/parser.ts';
export type { ShellReading } from './shell/run.ts';

/** A reading, and whether the tree parser would have had more to say. */
export interface ReadShell {
  readonly reading: ShellReading;
  /** Some text is outside the lexer's subset and no parser was given: read again with one. */
  readonly wantsParser: boolean;
}

/**
 * What a POSIX-like command line does, whatever directory it runs in. Never throws. Without `parser` only the lexer's
 * subset is understood; the rest gives its program name and `wantsParser`.
 */
export function readShell(text: string, parser?: ShellParser): ReadShell {
  let wantsParser = false;
  let broken = false;
  const parse = (part: string): Script | undefined => {
    const script = lexShell(part);
    if (script) return script;
    if (!parser) {
      wantsParser = true;
      return undefined;
    }
    const tree = treeShell(part, parser.tree);
    broken ||= tree.broken;
    return tree.script;
  };
  if (looksLikePowerShell(text)) return { reading: onlyName(text), wantsParser: false };
  const script = parse(withoutMarkers(text));
  if (!script) return { reading: onlyName(text), wantsParser };
  const reading = runScript(script, parse);
  if (broken && reading.effects.length === 0) return { reading: { ...onlyName(text), partial: true }, wantsParser };
  return { reading: broken ? { ...reading, partial: true } : reading, wantsParser };
}

/** True for text of PowerShell: a cmdlet (`Get-ChildItem`), `$env:`, or a variable set with spaces around `=`. */
function looksLikePowerShell(text: string): boolean {
  return /^\s*(?:\(?[A-Z][a-z]+-[A-Z][A-Za-z]+\b|\$env:\w|\$\w+\s+=\s|try\s*\{|foreach\s*\()|\|\s*(?:Select|Where|ForEach|Out|Sort|Measure)-[A-Z]/.test(
    text,
  );
}

/** Of PowerShell and `cmd` lines only the program's name is read. */
export function readPowerShell(text: string): ShellReading {
  return onlyName(text);
}

/** Words that begin a statement of PowerShell and say nothing of what it does. */
const SCENERY =
  /^(?:if|else|try|catch|foreach|for|while|switch|function|param|return|Set-Location|cd|Write-(?:Host|Output)|echo)$/i;

function onlyName(text: string): ShellReading {
  // Strings go, but for the path of a program behind the call operator.
  const plain = text
    .slice(0, 4096)
    .replace(/(&\s*)?(["'])(.*?)\2/gs, (_, call, _quote, inner: string) => (call ? inner : '""'));
  let command = NAMELESS;
  for (const [, word = ''] of plain.matchAll(/(?:^|[;|\n({=])\s*([A-Za-z][\w.\\/:-]*)(?=[\s;|)]|$)/g)) {
    if (SCENERY.test(word)) continue;
    command = commandName([word]);
    break;
  }
  return { command, effects: [], destructive: false, partial: true };
}
