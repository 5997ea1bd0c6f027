// @ts-check
// What an agent does about a prompt: the calls of one turn, each with the tools it uses. Knows nothing of file formats.
import { SAYS } from './prompts.mjs';

/**
 * @typedef {object} Use one tool call
 * @property {'read' | 'edit' | 'write' | 'run' | 'grep' | 'fetch' | 'search' | 'issue' | 'plan' | 'agent'} does
 * @property {string} about the file, command, pattern, address or description
 * @property {number} ms how long it takes
 * @property {string} [fails] the error it ends with
 * @property {string} [output] what it prints
 * @property {readonly Call[]} [calls] of a subagent
 *
 * @typedef {object} Call one answer of the model
 * @property {string} [says]
 * @property {readonly Use[]} uses none in the last call of a turn
 */

export class Work {
  /**
   * @param {import('./chance.mjs').Chance} chance
   * @param {import('./projects.mjs').Project} project
   * @param {import('./projects.mjs').Area} area
   */
  constructor(chance, project, area) {
    this.chance = chance;
    this.project = project;
    this.area = area;
    this.file = /** @type {string} */ (area.files[0]);
  }

  /** @param {string} kind @returns {Call[]} */
  turn(kind) {
    const calls = this.steps(kind);
    if (calls[0] && this.chance.happens(0.4)) calls[0] = { ...calls[0], says: this.chance.pick(SAYS.before) };
    return [...calls, { says: this.chance.pick(SAYS.after), uses: [] }];
  }

  /** @param {string} kind @returns {Call[]} */
  steps(kind) {
    const { chance } = this;
    switch (kind) {
      case 'debug':
        return this.debug();
      case 'test':
        return [
          [chance.happens(0.4) ? this.write(this.area.test) : this.edit(this.area.test)],
          ...this.untilGreen(chance.happens(0.4) ? 1 : 0),
        ].map(one);
      case 'refactor':
        return this.refactor();
      case 'implement':
        return [
          ...(chance.happens(0.4) ? [[this.plan()]] : []),
          ...(chance.happens(0.4) ? [[this.read(this.file)]] : []),
          ...(chance.happens(0.25) ? [[this.run(this.project.install, 9_000)]] : []),
          [chance.happens(0.5) ? this.edit(this.file) : this.write(this.newFile())],
          ...this.untilGreen(chance.happens(0.3) ? 1 : 0),
        ].map(one);
      case 'review':
        return [
          chance.happens(0.6)
            ? [this.run('git diff main...HEAD', 300), this.issue()]
            : this.area.files.slice(0, 2).map(file => this.read(file)),
        ].map(one);
      case 'docs':
        return [...(chance.happens(0.4) ? [[this.fetch()]] : []), [this.edit(chance.pick(this.project.docs))]].map(one);
      case 'release':
        return [
          [this.edit('CHANGELOG.md')],
          ...this.project.release.map(command => [this.run(command, chance.around(14_000, 0.6))]),
        ].map(one);
      case 'research':
        return [
          [this.search()],
          chance.happens(0.5) ? [this.fetch(), this.fetch()] : [this.fetch()],
          ...(chance.happens(0.3) ? [[this.explore('Explore', 2)]] : []),
        ].map(one);
      case 'performance':
        return [
          [this.run(this.project.slow, chance.around(280_000, 0.4))],
          [this.edit(this.file), this.run(this.project.slow, chance.around(210_000, 0.4))],
        ].map(one);
      case 'security':
        return [
          [this.read(this.project.secret), this.run('git log -p --all -S SECRET', 2_500)],
          ...(chance.happens(0.5) ? [[this.run('rm -rf build/cache', 120)]] : []),
        ].map(one);
      case 'commit': {
        const rejected = chance.happens(0.2) ? 'rejected: the remote contains work that you do not have' : '';
        return [
          one([
            this.run(
              'git commit -qam "Keep the old behaviour behind an option" && git push origin HEAD',
              3_200,
              rejected,
            ),
          ]),
        ];
      }
      case 'continue':
        return [[this.edit(chance.pick(this.area.files)), this.run(this.area.check, chance.around(38_000, 0.6))]].map(
          one,
        );
      default:
        return [];
    }
  }

  /** The loop that burns budgets: change something, run the tests, see them fail. @returns {Call[]} */
  debug() {
    const { chance } = this;
    const look = chance.happens(0.25) ? [this.grep(), this.read(this.file)] : [this.read(this.file)];
    const probe = chance.happens(0.3) ? [[this.run(this.project.probe, 700, 'exit code 22', 'HTTP/1.1 500')]] : [];
    return [...(chance.happens(0.5) ? [look] : []), ...probe, ...this.untilGreen(chance.pick([0, 0, 1, 1, 2]))].map(
      one,
    );
  }

  /** @returns {Call[]} */
  refactor() {
    const { chance } = this;
    return [
      chance.happens(0.35) ? [this.explore('Explore', 2)] : [this.read(this.file)],
      this.area.files.slice(0, chance.between(1, 2)).map(file => this.edit(file)),
      ...(chance.happens(0.5)
        ? [[this.run(this.project.lint, 6_000, this.project.lintFailure)], [this.edit(this.file)]]
        : []),
      ...this.untilGreen(chance.happens(0.25) ? 1 : 0),
    ].map(one);
  }

  /** `fails` failing runs of the area's tests with an edit after each, then one that passes. @param {number} fails */
  untilGreen(fails) {
    /** @type {Use[][]} */
    const uses = [];
    let next = [this.run(this.area.check, this.chance.around(38_000, 0.6), fails > 0 ? this.area.failure : '')];
    uses.push(next);
    for (let left = fails - 1; left >= 0; left--) {
      const edit = this.edit(this.chance.happens(0.8) ? this.file : this.area.test, this.chance.happens(0.12));
      next = [edit, this.run(this.area.check, this.chance.around(38_000, 0.6), left > 0 ? this.area.failure : '')];
      uses.push(next);
    }
    return uses;
  }

  /** @param {'Explore' | 'general-purpose'} kind @param {number} reads @returns {Use} */
  explore(kind, reads) {
    const calls = [one([this.grep()])];
    for (let i = 0; i < reads; i++) calls.push(one([this.read(this.chance.pick(this.area.files))]));
    calls.push({ says: `${this.area.symbol} is used in ${this.area.files.length} files.`, uses: [] });
    return { does: 'agent', about: `${kind}: Find all uses of ${this.area.symbol}`, ms: 0, calls };
  }

  /** @param {string} file @returns {Use} */
  read(file) {
    return { does: 'read', about: file, ms: this.chance.between(20, 90), output: `1\t${this.area.symbol}` };
  }

  /** @param {string} file @param {boolean} [fails] @returns {Use} */
  edit(file, fails = false) {
    return {
      does: 'edit',
      about: file,
      ms: this.chance.between(20, 60),
      ...(fails ? { fails: 'String to replace not found in file.' } : {}),
    };
  }

  /** @param {string} file @returns {Use} */
  write(file) {
    return { does: 'write', about: file, ms: this.chance.between(20, 60) };
  }

  newFile() {
    return this.file.replace(/(\.\w+)$/, `_${this.chance.pick(['options', 'pages', 'retry', 'batch'])}$1`);
  }

  /** @param {string} command @param {number} ms @param {string} [fails] @param {string} [output] @returns {Use} */
  run(command, ms, fails = '', output = 'ok') {
    return { does: 'run', about: command, ms, output, ...(fails ? { fails } : {}) };
  }

  /** @returns {Use} */
  grep() {
    return { does: 'grep', about: this.area.symbol, ms: this.chance.between(30, 200), output: `${this.file}:12` };
  }

  /** @returns {Use} */
  fetch() {
    const fails = this.chance.happens(0.15) ? 'Request failed with status code 403' : '';
    return {
      does: 'fetch',
      about: this.chance.pick(this.project.pages),
      ms: this.chance.around(1_800, 0.5),
      output: 'A summary.',
      ...(fails ? { fails } : {}),
    };
  }

  /** @returns {Use} */
  search() {
    return {
      does: 'search',
      about: `${this.area.symbol} best practice`,
      ms: this.chance.around(2_400, 0.4),
      output: '3 results',
    };
  }

  /** @returns {Use} */
  issue() {
    return {
      does: 'issue',
      about: String(this.chance.between(101, 240)),
      ms: this.chance.around(900, 0.3),
      output: 'open',
    };
  }

  /** @returns {Use} */
  plan() {
    return { does: 'plan', about: `Change ${this.file}|Run the tests`, ms: 10 };
  }
}

/** @param {Use[]} uses @returns {Call} */
function one(uses) {
  return { uses };
}
