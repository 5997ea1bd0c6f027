import type { Command } from 'commander';
import { historyOptions, taggerOptions } from './options.ts';

/** `tags`: the loop from free prompts to a stable vocabulary. */
export function declareTags(program: Command): void {
  const tags = program
    .command('tags')
    .description('how far the tags of prompts go, and rules for what has none')
    .addHelpText('after', EXAMPLES);

  common(tags.command('status', { isDefault: true }))
    .description('coverage by prompts and by tokens, the largest tag, groups of what is unmatched')
    .option('--min-coverage <percent>', 'exit with 1 if less of the prompts or of their tokens has a tag')
    .option('--include-previews', 'show prompts, secrets replaced, also where the output is no terminal')
    .action(async flags => (await import('./tags-status.ts')).tagsStatus(flags));

  proposing(tags.command('suggest'))
    .description('rules that would tag what is unmatched, with how many prompts and tokens each would take')
    .action(async flags => (await import('./tag-loop.ts')).tagsSuggest(flags));

  proposing(tags.command('init'))
    .description('a rule file from this history: a rule of words for each tag it has, and for groups without one')
    .action(async flags => (await import('./tag-loop.ts')).tagsInit(flags));

  proposing(tags.command('freeze'))
    .description('rules of words from what a model or clusters decided; of several caches, from what all agree on')
    .argument('<cache...>', 'files of --tag-cache')
    .action(async (files, flags) => (await import('./tag-loop.ts')).tagsFreeze(files, flags));

  common(tags.command('test'))
    .description('a rule file against its examples and this history: conflicts, dead and shadowed rules')
    .argument('<file>', 'the rule file')
    .option('--no-history', 'look at the examples alone')
    .action(async (file, flags) => (await import('./tags-test.ts')).tagsTest(file, flags));
}

function common(command: Command): Command {
  return taggerOptions(historyOptions(command)).option('--json', 'print as JSON');
}

function proposing(command: Command): Command {
  return common(command)
    .option('-o, --output <file>', 'write a rule file; - is standard output')
    .option('--min-prompts <n>', 'a word of a rule must take so many prompts', '2')
    .option('--include-previews', 'add prompts as examples, secrets replaced');
}

const EXAMPLES = `
Examples:
  agentpprof tags init -o rules.yaml              a rule file to begin with
  agentpprof tags status --tag-rules rules.yaml   how far it goes
  agentpprof tags suggest --tag-rules rules.yaml  rules for the rest
  agentpprof tags test rules.yaml                 conflicts, dead rules, examples
  agentpprof tags status --tag-rules rules.yaml --min-coverage 95    for CI`;
